import type { Span } from '../../engine/match/span.js';

/** The largest length of an excerpt in UTF-16 units, unless the caller gives another one. */
export const longestExcerpt = 1000;

/** A part of a text, and a span with its offsets in that part. */
interface Excerpt {
  readonly text: string;
  readonly span?: Span;
}

/**
 * Returns the text at a JSON path in the notation of a decision: `data.customData["a key"][2]`;
 * `undefined` if there is no text at the path.
 */
export function textAt(message: object, path: string): string | undefined {
  let value: unknown = message;
  for (const [, name, index, quoted] of path.matchAll(/\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy)) {
    const key = name ?? index ?? (JSON.parse(quoted!) as string);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the part of a text around a span, with as much text before the span as after it, or the
 * beginning of the text if no span is given. A short text is returned whole. A span longer than the
 * excerpt is cut. No cut is within a pair of surrogates.
 */
export function excerptOf(text: string, span?: Span, longest = longestExcerpt): Excerpt {
  const from = span?.start ?? 0;
  const room = Math.max(0, longest - ((span?.end ?? 0) - from));
  const latest = Math.max(0, text.length - longest);
  let begin = Math.min(from, Math.max(0, Math.min(from - Math.floor(room / 2), latest)));
  // The excerpt begins a unit later if that is before the span, else a unit earlier: the pair stays
  // whole.
  if (splitsPair(text, begin)) begin += begin < from ? 1 : -1;
  let end = Math.min(text.length, begin + longest);
  if (splitsPair(text, end)) end -= 1;
  const excerpt = text.slice(begin, end);
  if (span === undefined) return { text: excerpt };
  return { text: excerpt, span: { start: from - begin, end: Math.min(span.end, end) - begin } };
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff;
}
