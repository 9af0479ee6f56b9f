/** Texts with their matches marked, cut to a length that a page can show. */
import { excerptOf } from '../../audit/count/excerpt.js';
import type { Span } from '../../engine/match/span.js';
import type { Segment } from './protocol.js';

/**
 * Divides the part of a text around its first span into marked and unmarked pieces, whose texts,
 * joined, are that part; spans may overlap.
 */
export function segmentsOf(text: string, spans: readonly Span[], longest: number): readonly Segment[] {
  const ordered = [...spans].sort((left, right) => left.start - right.start);
  const excerpt = excerptOf(text, ordered[0], longest);
  const begin = (ordered[0]?.start ?? 0) - (excerpt.span?.start ?? 0);
  const end = begin + excerpt.text.length;
  const segments: Segment[] = [];
  const add = (from: number, to: number, isMarked: boolean) => {
    if (to > from) segments.push({ text: text.slice(from, to), isMarked });
  };
  if (begin > 0) segments.push({ text: '…', isMarked: false });
  let at = begin;
  for (const { start, end: close } of ordered) {
    const [from, to] = [Math.max(at, start), Math.min(close, end)];
    if (to <= from) continue;
    const last = segments.at(-1);
    if (from === at && last?.isMarked)
      segments[segments.length - 1] = { ...last, text: last.text + text.slice(from, to) };
    else {
      add(at, from, false);
      add(from, to, true);
    }
    at = to;
  }
  add(at, end, false);
  if (end < text.length) segments.push({ text: '…', isMarked: false });
  return segments;
}
