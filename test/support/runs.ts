/** `SLUICE_FULL=1` looks at everything, and at many times as many random cases. */
export const isFull = process.env.SLUICE_FULL === '1';

/**
 * How many random cases a property is tried on. Properties that name no number are tried on those
 * of `support/setup.ts`.
 */
export const runs = (few: number, full = few * 50): number => (isFull ? full : few);

/** Every item with `SLUICE_FULL=1`, else every `stride`th: always the same ones. */
export const sampled = <Item>(items: readonly Item[], stride: number): Item[] =>
  isFull ? [...items] : items.filter((_, index) => index % stride === 0);
