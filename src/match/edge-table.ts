/**
 * The edges of a trie as an open-addressing hash from (state, class) to state: 12 bytes a slot, no objects.
 * Grows by doubling and is never more than half full, so a miss costs about one extra read.
 */
export interface EdgeTable {
  /** Target of an edge, or -1. */
  get(state: number, classNumber: number): number;
  /** Adds an edge that is not there yet. */
  set(state: number, classNumber: number, target: number): void;
  /** Every edge, in no particular order. */
  each(visit: (state: number, classNumber: number, target: number) => void): void;
  readonly count: number;
  readonly bytes: number;
}

const EMPTY = -1;

export function createEdgeTable(expected: number): EdgeTable {
  let slots = 16;
  while (slots < expected * 2) slots *= 2;
  let states = new Int32Array(slots).fill(EMPTY);
  let classes = new Int32Array(slots);
  let targets = new Int32Array(slots);
  let count = 0;

  const slotOf = (state: number, classNumber: number): number => {
    const mask = slots - 1;
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(classNumber, 0x85ebca6b)) & mask;
    while (states[slot] !== EMPTY && (states[slot] !== state || classes[slot] !== classNumber))
      slot = (slot + 1) & mask;
    return slot;
  };
  const put = (state: number, classNumber: number, target: number) => {
    const slot = slotOf(state, classNumber);
    states[slot] = state;
    classes[slot] = classNumber;
    targets[slot] = target;
  };
  const grow = () => {
    const old = { states, classes, targets };
    slots *= 2;
    states = new Int32Array(slots).fill(EMPTY);
    classes = new Int32Array(slots);
    targets = new Int32Array(slots);
    for (let slot = 0; slot < old.states.length; slot++) {
      if (old.states[slot] !== EMPTY) put(old.states[slot]!, old.classes[slot]!, old.targets[slot]!);
    }
  };

  return {
    get: (state, classNumber) => {
      const slot = slotOf(state, classNumber);
      return states[slot] === EMPTY ? -1 : targets[slot]!;
    },
    set: (state, classNumber, target) => {
      if ((count + 1) * 2 > slots) grow();
      put(state, classNumber, target);
      count++;
    },
    each: (visit) => {
      for (let slot = 0; slot < slots; slot++) {
        if (states[slot] !== EMPTY) visit(states[slot]!, classes[slot]!, targets[slot]!);
      }
    },
    get count() {
      return count;
    },
    get bytes() {
      return slots * 12;
    },
  };
}
