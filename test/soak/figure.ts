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
