import type { Cursor } from '../contract/meta.js';
import { indexFrom } from './message-order.js';
import type { MessageSelection, Reference } from './message-selection.js';
import type { Store } from './store.js';

/** Which way a walk goes (`affix`, §4.2). */
export type Affix = 'append' | 'prepend';

/** One page: positions ascending, and the cursor of the next page when there is one (§2.7). */
export interface MessagePage {
  readonly positions: readonly number[];
  readonly next?: Cursor;
}

/**
 * Cuts a page out of a selection: for `append` the `limit` messages after the reference or from the start, for `prepend` the
 * `limit` messages before it or the newest. The next page in the same direction starts from the last message of this one, or
 * from the first; there is one only when at least one more message is asked for.
 */
export function cutPage(
  selection: MessageSelection,
  reference: Reference | undefined,
  affix: Affix,
  limit: number,
  store: Store,
): MessagePage {
  const found =
    affix === 'append' ? walkForward(selection, reference, limit + 1) : walkBack(selection, reference, limit + 1);
  const page = found.slice(0, limit);
  const edge = page.at(-1);
  const positions = affix === 'append' ? page : page.reverse();
  if (found.length <= limit || edge === undefined) return { positions };
  const { columns, idAt } = store.messages;
  return { positions, next: { affix, sentAt: columns.sentAt[edge]!, id: idAt(edge) } };
}

function walkForward(
  { candidates, accepts }: MessageSelection,
  reference: Reference | undefined,
  wanted: number,
): number[] {
  const found: number[] = [];
  const start = reference === undefined ? 0 : indexFrom(candidates, reference.after);
  for (let index = start; index < candidates.length && found.length < wanted; index += 1) {
    const position = candidates[index]!;
    if (accepts(position)) found.push(position);
  }
  return found;
}

/** Nearest first, so descending. */
function walkBack(
  { candidates, accepts }: MessageSelection,
  reference: Reference | undefined,
  wanted: number,
): number[] {
  const found: number[] = [];
  const end = reference === undefined ? candidates.length : indexFrom(candidates, reference.before);
  for (let index = end - 1; index >= 0 && found.length < wanted; index -= 1) {
    const position = candidates[index]!;
    if (accepts(position)) found.push(position);
  }
  return found;
}
