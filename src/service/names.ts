/** Names by number, in the order in which they came: columns hold the numbers, 4 bytes each. */
export interface Names {
  /** The number of a name, a new one when it is new. */
  readonly take: (name: string) => number;
  /** Undefined when nobody took it. */
  readonly find: (name: string) => number | undefined;
  /** By number. */
  readonly list: readonly string[];
}

/** No names yet. */
export function createNames(): Names {
  const numbers = new Map<string, number>();
  const list: string[] = [];
  return {
    take: (name) => {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, list.length);
      return list.push(name) - 1;
    },
    find: (name) => numbers.get(name),
    list,
  };
}
