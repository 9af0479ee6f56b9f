import type { Written } from './out-directory.js';

/** What a screen says beyond the report. */
export interface Occasion {
  /** Where messages and rules came from. */
  readonly label: string;
  /** Why the report is partial, when it is: somebody asked for it, or the source failed. */
  readonly interrupted: boolean;
  /** How long the judging took, fetching included. */
  readonly tookMs: number;
  /** What `--out` left behind. */
  readonly written: Written | undefined;
  /** Whether scores of pictures and videos were given at all. */
  readonly hasScores: boolean;
}
