/** Place in a text: half-open UTF-16 offsets, so `text.slice(start, end)` is what was found. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Takes a match, and says whether that is enough. */
export type TakeMatch = (start: number, end: number) => boolean;
