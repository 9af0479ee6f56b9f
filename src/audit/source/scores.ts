import { asFields } from '../../compile/untrusted.js';
import type { Scores } from '../../evaluate/media.js';
import { textOf } from '../../evaluate/message-text.js';
import { filesOf } from '../../media.js';
import { ScaleWatch } from '../../score-scale.js';
import type { Auditable } from '../audit-entry.js';

/** Labels to numbers, 0..100, by what they are scores of: the URL of a file, the id of a message for its text, or a text itself. */
export type ScoresByUrl = ReadonlyMap<string, Readonly<Record<string, number>>>;

const none: readonly Scores[] = [];

/**
 * The scores of the text and the files of a message that have any: the text, then in the order of `filesOf`. What has none is left out,
 * so that its conditions are reported as unevaluated.
 */
export function mediaFromScores(message: Auditable, scores: ScoresByUrl): readonly Scores[] {
  if (scores.size === 0) return none;
  const ofText = textScores(message, scores);
  // Nearly every message: no files to look up, and nothing to allocate.
  if (typeof message === 'string' || (message.data?.attachments === undefined && message.data?.url === undefined)) {
    return ofText === undefined ? none : [ofText];
  }
  const ofFiles = filesOf(asFields(message) ?? {}).flatMap(({ operand, url }): Scores[] => {
    const labels = url === undefined ? undefined : scores.get(url);
    return labels === undefined ? [] : [{ operand, labels, url }];
  });
  return ofText === undefined ? ofFiles : [ofText, ...ofFiles];
}

/** By the id of the message, else by the text, unless that is an address: its scores are those of a file. */
function textScores(message: Auditable, scores: ScoresByUrl): Scores | undefined {
  const fields = typeof message === 'string' ? undefined : asFields(message);
  const isCustom = fields?.category === 'custom';
  const text = typeof message === 'string' ? message : isCustom ? undefined : textOf(fields ?? {});
  const isText = typeof text === 'string' && text !== '';
  if (!isText && !isCustom) return undefined;
  const byId = typeof fields?.id === 'string' ? scores.get(fields.id) : undefined;
  const labels = byId ?? (isText && !URL.canParse(text) ? scores.get(text) : undefined);
  return labels && { operand: isCustom ? 'custom' : 'text', labels };
}

/** How many texts and files have scores, when these are at least twenty and no score is above 1; else undefined. */
export function filesUpToOne(scores: ScoresByUrl): number | undefined {
  const watch = new ScaleWatch();
  for (const [key, labels] of scores) watch.add(labels, key, !URL.canParse(key));
  return watch.filesUpToOne;
}
