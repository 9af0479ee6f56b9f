import type { Paint } from './paint.js';

/** How a screen is drawn. */
export interface Canvas {
  /** Columns that may be used. */
  readonly width: number;
  readonly paint: Paint;
}
