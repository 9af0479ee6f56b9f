/**
 * The part of a browser's window that the script of a report uses. The build has no types of browsers, so that no other file can take
 * a browser for granted; `test/cli/report/script-types.test.ts` holds these against the DOM's own.
 */

/** What can stand in an element. */
export interface PageNode {
  textContent: string | null;
}

export interface PageElement extends PageNode {
  readonly classList: { add(name: string): void; remove(name: string): void };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  /** Sets or takes away an attribute such as `hidden` or `open`. */
  toggleAttribute(name: string, force: boolean): boolean;
  hasAttribute(name: string): boolean;
  closest(selectors: string): PageElement | null;
  readonly parentElement: PageElement | null;
  querySelectorAll(selectors: string): Iterable<PageElement>;
  append(...nodes: (PageNode | string)[]): void;
  replaceChildren(...nodes: (PageNode | string)[]): void;
  scrollIntoView(): void;
  addEventListener(type: 'input' | 'change', listener: () => void): void;
  /** Of an input. */
  readonly value?: string;
  readonly files?: ArrayLike<PageFile> | null;
}

/** A file that somebody chose or dropped. */
export interface PageFile {
  text(): Promise<string>;
}

export interface PageDocument {
  readonly body: PageElement;
  getElementById(id: string): PageElement | null;
  querySelectorAll(selectors: string): Iterable<PageElement>;
  createElement(name: string): PageElement;
}

export interface DropEvent {
  preventDefault(): void;
  readonly dataTransfer: { readonly files: ArrayLike<PageFile> } | null;
}

export interface PageWindow {
  readonly document: PageDocument;
  /** Parses a page into a document that runs and loads nothing. */
  readonly DOMParser: new () => { parseFromString(text: string, type: 'text/html'): PageDocument };
  addEventListener(type: 'beforeprint' | 'afterprint' | 'dragleave', listener: () => void): void;
  addEventListener(type: 'dragover' | 'drop', listener: (event: DropEvent) => void): void;
}
