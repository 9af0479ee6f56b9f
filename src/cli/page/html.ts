import { escapeText } from '../terminal/text.js';

/** HTML that is safe to put into a page: made by `html` alone. */
export interface Html {
  readonly html: string;
}

/** A part of a template: texts and numbers are escaped, HTML and lists of it are not. */
type Part = string | number | Html | readonly Html[] | undefined;

/**
 * HTML from a template. Texts are escaped for content and for quoted attributes; what is invisible (control characters, marks of
 * direction, lone surrogates) becomes an escape that can be read.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.reduce((before, string, index) => before + write(parts[index - 1]) + string) };
}

/** HTML that was written by this program: style, script, data. */
export function trusted(text: string): Html {
  return { html: text };
}

/** Texts are cut here: names of rules, terms and ids may be of any length. */
const longestText = 300;

function write(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeHtml(escapeText(part));
  return 'html' in part ? part.html : part.map((each) => each.html).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

/** Returns a text of others, in its own direction, cut when it is very long. */
export function foreign(text: string): Html {
  return html`<bdi>${shorten(text)}</bdi>`;
}

/** Returns a text of at most `longestText` units, with an ellipsis when it was cut; no pair of surrogates is cut in two. */
export function shorten(text: string): string {
  if (text.length <= longestText) return text;
  const isPair = text.codePointAt(longestText - 2)! > 0xffff;
  return `${text.slice(0, longestText - (isPair ? 2 : 1))}…`;
}
