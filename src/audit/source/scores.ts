import { asFields } from '../../compile/untrusted.js';
import type { Scores } from '../../evaluate/media.js';
import { filesOf } from '../../media.js';
import { ScaleWatch } from '../../score-scale.js';
import type { Auditable } from '../audit-entry.js';

/** Scores by the URL of a file: labels to numbers, 0..100. */
export type ScoresByUrl = ReadonlyMap<string, Readonly<Record<string, number>>>;

const none: readonly Scores[] = [];

/**
 * The scores of the files of a message that have any, in the order of `filesOf`. A file without scores is left out, so that its
 * conditions are reported as unevaluated.
 */
export function mediaFromScores(message: Auditable, scores: ScoresByUrl): readonly Scores[] {
  if (typeof message === 'string' || scores.size === 0) return none;
  // Nearly every message: nothing to look up, and nothing to allocate.
  if (message.data?.attachments === undefined && message.data?.url === undefined) return none;
  return filesOf(asFields(message) ?? {}).flatMap(({ operand, url }) => {
    const labels = url === undefined ? undefined : scores.get(url);
    return labels === undefined ? [] : [{ operand, labels, url }];
  });
}

/** How many files have scores, when these are at least twenty and no score is above 1; else undefined. */
export function filesUpToOne(scores: ScoresByUrl): number | undefined {
  const watch = new ScaleWatch();
  for (const [url, labels] of scores) watch.add(labels, url);
  return watch.filesUpToOne;
}
