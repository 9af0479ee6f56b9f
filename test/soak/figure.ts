/** One measured figure of a promise, and whether the promise held. */
export interface Figure {
  readonly promise: string;
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly held: boolean;
}

/** A part of the soak run: measures until about `until`, in milliseconds since the epoch. */
export type Soak = (until: number) => Promise<readonly Figure[]> | readonly Figure[];

/** Makes the figures of a promise. */
export function figuresOf(promise: string) {
  return (what: string, figure: number, unit: string, held: boolean): Figure => ({ promise, what, figure, unit, held });
}
