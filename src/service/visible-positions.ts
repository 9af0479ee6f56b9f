/** Merged indexes kept, in positions (4 bytes each): 16 MiB. */
const kept = 4 * 1024 * 1024;

/**
 * Gives the positions of all conversations that a user takes part in, ascending, or undefined where that is most of
 * everything, so that walking everything is as good. Merging 100,000 positions takes milliseconds, so merged ones are kept
 * for the next page.
 */
export function createVisiblePositions(
  messageCount: number,
  conversationsOf: ReadonlyMap<string, readonly { readonly positions: Uint32Array }[]>,
): (uid: string) => Uint32Array | undefined {
  const merged = new Map<string, Uint32Array>();
  let held = 0;
  return (uid) => {
    const known = merged.get(uid);
    if (known !== undefined) return known;
    const conversations = conversationsOf.get(uid) ?? [];
    const size = conversations.reduce((sum, { positions }) => sum + positions.length, 0);
    if (size > messageCount / 2) return undefined;
    const positions = new Uint32Array(size);
    let filled = 0;
    for (const conversation of conversations) {
      positions.set(conversation.positions, filled);
      filled += conversation.positions.length;
    }
    positions.sort();
    if (held + size > kept) {
      merged.clear();
      held = 0;
    }
    merged.set(uid, positions);
    held += size;
    return positions;
  };
}
