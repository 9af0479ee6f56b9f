/** `SLUICE_FULL=1` looks at everything, and at many times as many random cases. */
export const isFull = process.env.SLUICE_FULL === '1';

/** How many random cases a property is tried on. */
export const runs = (few: number, full = few * 25): number => (isFull ? full : few);
