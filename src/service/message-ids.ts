import type { MessageColumns } from './message-columns.js';

/**
 * Finds messages by id: open addressing over the column of numbers, 8 to 16 bytes a message where a map of strings takes 100.
 * The few ids that a number does not hold exactly are kept as strings.
 */
export interface MessageIds {
  /** Adds the message at `index`, whose number is in its column; only a long id is looked at. False when it is there already. */
  readonly add: (id: string, index: number) => boolean;
  readonly find: (id: string) => number | undefined;
  /** The id of the message at `index`. */
  readonly idAt: (index: number) => string;
  /** The same ids where messages stand in another order: first the one at `order[0]`. */
  readonly arrange: (columns: () => MessageColumns, order: Uint32Array) => MessageIds;
}

/** The number of a decimal id, infinite when it is too long for one to hold it exactly. */
export function numberOfId(id: string): number {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : Number.POSITIVE_INFINITY;
}

/** An index over columns that may be replaced by longer ones meanwhile. */
export function createMessageIds(columns: () => MessageColumns): MessageIds {
  const long = new Map<string, number>();
  const longAt = new Map<number, string>();
  let slots = new Uint32Array(1 << 10);
  let used = 0;

  /** The slot of a number: the one that holds it, or the free one where it belongs. */
  const slotOf = (number: number): number => {
    const numbers = columns().number;
    const mask = slots.length - 1;
    const mixed = Math.imul(number, 0x9e3779b1) ^ Math.imul(number / 0x1_0000_0000, 0x85ebca6b);
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const held = slots[slot]!;
      if (held === 0 || numbers[held - 1] === number) return slot;
    }
  };
  const grow = (): void => {
    const old = slots;
    slots = new Uint32Array(old.length * 2);
    const numbers = columns().number;
    for (const held of old) if (held !== 0) slots[slotOf(numbers[held - 1]!)] = held;
  };
  const addLong = (id: string, index: number): boolean => {
    if (long.has(id)) return false;
    long.set(id, index);
    longAt.set(index, id);
    return true;
  };
  const addNumber = (number: number, index: number): boolean => {
    const slot = slotOf(number);
    if (slots[slot] !== 0) return false;
    slots[slot] = index + 1;
    used += 1;
    if (used * 2 > slots.length) grow();
    return true;
  };

  return {
    add: (id, index) => {
      const number = columns().number[index]!;
      return Number.isFinite(number) ? addNumber(number, index) : addLong(id, index);
    },
    find: (id) => {
      const number = numberOfId(id);
      if (!Number.isFinite(number)) return long.get(id);
      const held = slots[slotOf(number)]!;
      // The text decides: `007` and ` 7` are the number 7, and no id.
      return held === 0 || String(number) !== id ? undefined : held - 1;
    },
    idAt: (index) => longAt.get(index) ?? String(columns().number[index]),
    arrange: (arranged, order) => {
      const ids = createMessageIds(arranged);
      for (let to = 0; to < order.length; to += 1) ids.add(longAt.get(order[to]!) ?? '', to);
      return ids;
    },
  };
}
