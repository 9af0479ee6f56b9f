import { textOperandOf } from '../../engine/compile/operands.js';
import { asFields, type Fields } from '../../engine/compile/untrusted.js';
import { textOf } from '../../engine/evaluate/message-text.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { filesOf } from '../../engine/media.js';
import { ScaleWatch } from '../../engine/score-scale.js';
import type { Auditable } from '../audit-entry.js';

/**
 * Labels to numbers, 0..100, by what they are scores of: the URL of a file, the id of a message for
 * its text, or a text itself.
 */
export type ScoreTable = ReadonlyMap<string, Readonly<Record<string, number>>>;

const none: readonly Scores[] = [];

/**
 * Returns the scores of the text and the files of a message: of the text first, then in the order
 * of `filesOf`. Entries without scores are left out, so that their conditions are reported as
 * unevaluated; a value that is not a message has none.
 */
export function scoresFromTable(message: Auditable, table: ScoreTable): readonly Scores[] {
  if (table.size === 0) return none;
  const fields = asFields(message);
  const ofText = textScores(typeof message === 'string' ? message : undefined, fields, table);
  const data = asFields(fields?.data);
  // Nearly every message: no files to look up, and nothing to allocate.
  if (data?.attachments === undefined && data?.url === undefined) return ofText === undefined ? none : [ofText];
  const ofFiles = filesOf(fields!).flatMap(({ operand, url }): Scores[] => {
    const labels = url === undefined ? undefined : table.get(url);
    return labels === undefined ? [] : [{ operand, labels, url }];
  });
  return ofText === undefined ? ofFiles : [ofText, ...ofFiles];
}

/**
 * Looks up scores by the id of the message, else by the text, unless that is an address: its scores
 * are those of a file.
 */
function textScores(alone: string | undefined, fields: Fields | undefined, table: ScoreTable): Scores | undefined {
  const operand = textOperandOf(fields?.category);
  const text = alone ?? (operand === 'text' ? textOf(fields ?? {}) : undefined);
  const isText = typeof text === 'string' && text !== '';
  if (!isText && operand === 'text') return undefined;
  const byId = typeof fields?.id === 'string' ? table.get(fields.id) : undefined;
  const labels = byId ?? (isText && !URL.canParse(text) ? table.get(text) : undefined);
  return labels && { operand, labels };
}

/**
 * Returns how many texts and files have scores, when these are at least twenty and no score is
 * above 1; else undefined.
 */
export function countUpToOne(table: ScoreTable): number | undefined {
  const watch = new ScaleWatch();
  for (const [key, labels] of table) watch.add(labels, key, !URL.canParse(key));
  return watch.countUpToOne;
}
