/** A template tag that makes HTML which is safe to put into a page. */
import { escapeText } from '../terminal/text.js';

/** HTML that is safe to put into a page. Only `html` and `trusted` create it. */
export interface Html {
  readonly html: string;
}

/** A value in a template. Texts and numbers are escaped; HTML and lists of it are not. */
type Part = string | number | Html | readonly Html[] | undefined;

/**
 * Template tag for HTML. Texts are escaped for content and for quoted attributes. Invisible
 * characters (control characters, marks of direction, lone surrogates) become visible escapes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { html: strings.reduce((before, string, index) => before + write(values[index - 1]) + string) };
}

/** Marks text as HTML that this program wrote: style, script, data. */
export function trusted(text: string): Html {
  return { html: text };
}

/** Length at which texts are cut. Names of rules, terms and ids may be of any length. */
const longestText = 300;

function write(value: Part): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeHtml(escapeText(value));
  return 'html' in value ? value.html : value.map((each) => each.html).join('');
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

/**
 * Returns a text from rules or messages. It has its own direction, and is cut if it is very long.
 */
export function foreign(text: string): Html {
  return html`<bdi>${shorten(text)}</bdi>`;
}

/**
 * Cuts a text to `longestText` units, with an ellipsis if something was cut. Surrogate pairs are
 * never split.
 */
export function shorten(text: string): string {
  if (text.length <= longestText) return text;
  const isPair = text.codePointAt(longestText - 2)! > 0xffff;
  return `${text.slice(0, longestText - (isPair ? 2 : 1))}…`;
}
