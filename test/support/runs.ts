/** `SLUICE_FULL=1` looks at everything, and at a hundred times as many random cases. */
export const isFull = process.env.SLUICE_FULL === '1';

/** How many random cases a property is tried on. */
export const runs = (few: number): number => (isFull ? few * 100 : few);

/** Of a table that is asked about as a whole with `SLUICE_FULL=1`: one entry of so many, always the same ones. */
export const oneOf =
  (so: number) =>
  (_: unknown, index: number): boolean =>
    isFull || index % so === 0;
