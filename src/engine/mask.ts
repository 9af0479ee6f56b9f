/** Masks the matches of a decision in a text. */
import { UsageError } from '../foundation/errors.js';
import { refuseUnknownOptions } from '../foundation/options.js';
import type { Decision, PatternMatch, WordMatch } from './evaluate/decision.js';
import type { Span } from './match/span.js';

/** Options of `mask`. */
export interface MaskOptions {
  /** JSON path of the text inside the message, as matches have it. Default `data.text`. */
  readonly path?: string | undefined;
  /**
   * The replacement of a masked part: a text, or a function of the part and its match (of several
   * that overlap the first, of those that begin together the longest). Default: `*` for every
   * grapheme cluster that is not white space.
   */
  readonly with?: string | ((text: string, match: WordMatch | PatternMatch) => string) | undefined;
}

/**
 * Returns the text with its matches masked, for callers that soften a message rather than stop it.
 * Masked is what a rule other than a shadow rule matched at `path`, whatever its action;
 * overlapping matches are masked as one. A match that begins or ends inside a grapheme cluster,
 * such as a letter with its accent or an emoji of several characters, is widened to the whole of
 * it. All else stays as it is.
 *
 * When `decision.truncated` is true, further occurrences may be missing, and are left unmasked: do
 * not send such a text on.
 *
 * Throws `UsageError` when a span does not fit the text: the decision is about another one.
 *
 * @example With the engine of the example of `createEngine`:
 * ```ts
 * const text = 'Hurry, BUY now!';
 * const decision = engine.explain(text);
 * mask(text, decision); // 'Hurry, *** ***!'
 * mask(text, decision, { with: '[removed]' }); // 'Hurry, [removed]!'
 * mask(text, decision, { with: (found) => `${found[0]}…` }); // 'Hurry, B…!'
 * ```
 */
export function mask(text: string, decision: Pick<Decision, 'matched'>, options: MaskOptions = {}): string {
  refuseUnknownOptions('`mask`', options, ['path', 'with']);
  const { path = 'data.text', with: replacement = stars } = options;
  if (typeof text !== 'string') throw new UsageError('`mask` takes the text itself, such as `message.data.text`');
  if (typeof replacement !== 'string' && typeof replacement !== 'function') {
    throw new UsageError('`with` must be a text, or a function that returns one');
  }
  let masked = '';
  let copied = 0;
  for (const { start, end, match } of partsOf(text, matchesAt(path, text, decision))) {
    const substitute = typeof replacement === 'string' ? replacement : replacement(text.slice(start, end), match);
    if (typeof substitute !== 'string') throw new UsageError('the function `with` must return a text');
    masked += text.slice(copied, start) + substitute;
    copied = end;
  }
  return masked + text.slice(copied);
}

type TextMatch = WordMatch | PatternMatch;

/**
 * Returns the matches in the text at `path` that have a length, by their start; of those that begin
 * together the longest first.
 */
function matchesAt(path: string, text: string, { matched }: Pick<Decision, 'matched'>): TextMatch[] {
  const matches = matched
    .filter(({ shadow }) => !shadow)
    .flatMap(({ conditions }) => conditions.flatMap((condition) => condition.matches))
    .filter((match): match is TextMatch => match.kind !== 'score' && match.path === path);
  if (matches.some(({ span, text: found }) => text.slice(span.start, span.end) !== found)) {
    throw new UsageError(
      `the decision is about another text than this one; pass the text at \`${path}\` of its message`,
    );
  }
  return matches
    .filter(({ span }) => span.start < span.end)
    .sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end);
}

/** A part that is masked as one: whole grapheme clusters. */
interface Part extends Span {
  readonly match: TextMatch;
}

/**
 * Yields the parts that the matches cover, in the order of the text, in time linear in the text and
 * the matches.
 */
function* partsOf(text: string, matches: readonly TextMatch[]): Generator<Part, void, undefined> {
  let open: { readonly start: number; reach: number; readonly match: TextMatch } | undefined;
  let next = 0;
  for (const { index, segment } of graphemesOf(text)) {
    if (open !== undefined && open.reach <= index) {
      yield { start: open.start, end: index, match: open.match };
      open = undefined;
    }
    for (; next < matches.length && matches[next]!.span.start < index + segment.length; next++) {
      const match = matches[next]!;
      open ??= { start: index, reach: 0, match };
      open.reach = Math.max(open.reach, match.span.end);
    }
    if (open === undefined && next === matches.length) return;
  }
  if (open !== undefined) yield { start: open.start, end: text.length, match: open.match };
}

function stars(text: string): string {
  return Array.from(graphemesOf(text), ({ segment }) => (/^\s+$/.test(segment) ? segment : '*')).join('');
}

/**
 * Made when it is first needed: some engines of mobile apps have none, and can evaluate messages
 * all the same.
 */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}
