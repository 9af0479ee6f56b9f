import { textOperandOf } from '../../engine/compile/operands.js';
import { asFields, type Fields } from '../../engine/compile/untrusted.js';
import { textOf } from '../../engine/evaluate/message-text.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { filesOf } from '../../engine/media.js';
import { ScaleWatch } from '../../engine/score-scale.js';
import type { Auditable } from '../audit-entry.js';

/**
 * Scores, 0 to 100 by label, of files by their URLs, and of texts by the ids of their messages or
 * by the texts themselves.
 */
export type ScoreTable = ReadonlyMap<string, Readonly<Record<string, number>>>;

const none: readonly Scores[] = [];

/**
 * Returns the scores of the text and the files of a message: of the text first, then in the order
 * of `filesOf`. Entries without scores are left out, so that their conditions are reported as
 * unevaluated; a value that is not a message has no scores.
 */
export function scoresFromTable(message: Auditable, table: ScoreTable): readonly Scores[] {
  if (table.size === 0) return none;
  const fields = asFields(message);
  const ofText = textScores(typeof message === 'string' ? message : undefined, fields, table);
  const data = asFields(fields?.data);
  // Nearly every message has no files, and nothing is allocated for it.
  if (data?.attachments === undefined && data?.url === undefined) return ofText === undefined ? none : [ofText];
  const ofFiles = filesOf(fields!).flatMap(({ operand, url }): Scores[] => {
    const labels = url === undefined ? undefined : table.get(url);
    return labels === undefined ? [] : [{ operand, labels, url }];
  });
  return ofText === undefined ? ofFiles : [ofText, ...ofFiles];
}

/**
 * Looks up scores by the id of the message, else by the text, unless the text is a URL, whose
 * scores are those of a file.
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
 * Returns the number of texts and files with scores if it is at least twenty and no score is above
 * 1; else undefined.
 */
export function countUpToOne(table: ScoreTable): number | undefined {
  const watch = new ScaleWatch();
  for (const [key, labels] of table) watch.add(labels, key, !URL.canParse(key));
  return watch.countUpToOne;
}
