import type { Io } from '../io.js';
import { type Paint, painter, wantsColour } from './paint.js';
import { screenWidth } from './screen-width.js';

/** How a screen is drawn. */
export interface Canvas {
  /** Columns that may be used. */
  readonly width: number;
  readonly paint: Paint;
  /** Whether `paint` does anything; what only colour would say needs other words where it does not. */
  readonly coloured: boolean;
}

/** The canvas of standard output. */
export function canvasOf({ stdout, env }: Io): Canvas {
  return { width: screenWidth(stdout), paint: painter(stdout, env), coloured: wantsColour(stdout, env) };
}
