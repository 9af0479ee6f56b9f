/** Category and type of a message (§2.4); both sets are open. */
export interface MessageKind {
  readonly category: string | undefined;
  readonly type: string | undefined;
}

/** Kinds by number, in the order in which they came. */
export interface MessageKinds {
  readonly take: (category: string | undefined, type: string | undefined) => number;
  readonly list: readonly MessageKind[];
}

/** No kinds yet. */
export function createMessageKinds(): MessageKinds {
  const list: MessageKind[] = [];
  const numbers = new Map<string | undefined, Map<string | undefined, number>>();
  return {
    take: (category, type) => {
      let ofCategory = numbers.get(category);
      if (ofCategory === undefined) {
        ofCategory = new Map();
        numbers.set(category, ofCategory);
      }
      let number = ofCategory.get(type);
      if (number === undefined) {
        number = list.push({ category, type }) - 1;
        ofCategory.set(type, number);
      }
      return number;
    },
    list,
  };
}
