/** Gathers which messages have a key, for keys that few messages have. */
export interface Postings {
  /** Says that the message at `index` has these keys; indexes ascend. */
  readonly add: (keys: readonly string[], index: number) => void;
  /** Positions by key, where the message at `order[0]` goes first; without an order, where they are. */
  readonly finish: (order?: Uint32Array) => ReadonlyMap<string, Uint32Array>;
}

/** No keys yet. */
export function createPostings(): Postings {
  const gathered = new Map<string, number[]>();
  return {
    add: (keys, index) => {
      for (const key of keys) {
        const indexes = gathered.get(key);
        if (indexes === undefined) gathered.set(key, [index]);
        else if (indexes.at(-1) !== index) indexes.push(index);
      }
    },
    finish: (order) => {
      const positionOf = order === undefined ? undefined : inverse(order);
      const finished = new Map<string, Uint32Array>();
      for (const [key, indexes] of gathered) {
        const positions = Uint32Array.from(indexes);
        if (positionOf !== undefined) {
          for (let at = 0; at < positions.length; at += 1) positions[at] = positionOf[positions[at]!]!;
          positions.sort();
        }
        finished.set(key, positions);
        gathered.delete(key);
      }
      return finished;
    },
  };
}

function inverse(order: Uint32Array): Uint32Array {
  const positionOf = new Uint32Array(order.length);
  for (let position = 0; position < order.length; position += 1) positionOf[order[position]!] = position;
  return positionOf;
}
