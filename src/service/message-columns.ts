/** What the service knows of every message without reading it: typed arrays, 40 bytes a message. */
const layout = {
  /** Seconds since the epoch. */
  sentAt: Float64Array,
  /** The id as a number; infinite for one that a number does not hold exactly. */
  number: Float64Array,
  /** Number of the sender among all names. */
  sender: Uint32Array,
  /** Number of the conversation. */
  conversation: Uint32Array,
  /** Number of category and type together. */
  kind: Uint32Array,
  /** Bits of message-flags.ts. */
  flags: Uint16Array,
  /** Where its line stands (line-store.ts). */
  segment: Uint32Array,
  start: Uint32Array,
  length: Uint32Array,
} as const;

/** One array for each column, all of one length. */
export type MessageColumns = { readonly [Name in keyof typeof layout]: InstanceType<(typeof layout)[Name]> };

type Column = MessageColumns[keyof MessageColumns];

const names = Object.keys(layout) as readonly (keyof typeof layout)[];

/** Columns of `size`, filled by `fill`. */
function columns(size: number, fill: (column: Column, name: keyof typeof layout) => void): MessageColumns {
  const made = Object.fromEntries(
    names.map((name) => {
      const column = new layout[name](size);
      fill(column, name);
      return [name, column];
    }),
  );
  // The table says which array each name has; the cast says so, where types cannot follow the loop.
  return made as unknown as MessageColumns;
}

/** Zeroed columns for `size` messages. */
export function allocateColumns(size: number): MessageColumns {
  return columns(size, () => {});
}

/** The first messages of `from`, in columns for `size`, longer or shorter. */
export function resizeColumns(from: MessageColumns, size: number): MessageColumns {
  return columns(size, (column, name) => column.set(from[name].subarray(0, size)));
}

/** The messages of `from` in another order: first the one at `order[0]`. */
export function arrangeColumns(from: MessageColumns, order: Uint32Array): MessageColumns {
  return columns(order.length, (column, name) => {
    const source = from[name];
    for (let index = 0; index < order.length; index += 1) column[index] = source[order[index]!]!;
  });
}
