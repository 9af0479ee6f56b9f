/** Scores of one picture or video, 0..100 by label, from whatever scored it; messages carry none (§2.5 names only thresholds). */
export interface MediaScores {
  readonly operand: 'image' | 'video';
  readonly labels: Readonly<Record<string, number>>;
  readonly url?: string | undefined;
}
