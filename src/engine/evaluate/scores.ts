/** Checks the scores that come with a message, and compares them with thresholds. */
import { UsageError } from '../../foundation/errors.js';
import { isTextOperand, operands, operandWords, type ScoredOperand } from '../compile/operands.js';
import { labelKey, type Threshold } from '../compile/threshold.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import { type MessageFile, mostScoredFiles } from '../media.js';
import type { ScoreMatch } from './decision.js';

/**
 * Scores of a text or of one file, 0 to 100 by label, from the caller's own classifier. Messages
 * carry no scores (§2.5 has thresholds only).
 */
export interface Scores {
  /**
   * The operand that was scored: the text of the message (`text`, `custom`), or the kind of the
   * file.
   */
  readonly operand: ScoredOperand;
  /**
   * Scores by label, such as `{ violence: 87 }`; labels are compared without case, with spaces, `_`
   * and `-` equal.
   */
  readonly labels: Readonly<Record<string, number>>;
  /** Address of the file, as the message has it: which of several files is scored. */
  readonly url?: string | undefined;
  /**
   * The reason why a scorer gave no scores; `labels` is empty then. Conditions that need them are
   * unevaluated, with this reason.
   */
  readonly failure?: string | undefined;
}

/**
 * Checks the caller's scores and reads each field once. Throws `UsageError` that names the entry. A
 * value that is not a score is kept, and leaves the conditions that need it unevaluated.
 */
export function checkScores(scores: unknown): readonly Scores[] {
  if (scores === undefined) return [];
  if (!isArray(scores)) throw new UsageError('`scores` must be an array of { operand, labels, url? }');
  return readItems(scores).map((entry, index) => {
    const fields = asFields(entry);
    const operand = read(fields, 'operand');
    const labels = copyOf(asFields(read(fields, 'labels')));
    const url = asString(read(fields, 'url'));
    const failure = asString(read(fields, 'failure'));
    if (typeof operand === 'string' && labels !== undefined) {
      const named = { ...(url !== undefined && { url }), ...(failure !== undefined && { failure }) };
      return { operand, labels, ...named } as Scores;
    }
    throw new UsageError(`\`scores[${index}]\` must be { operand: ${names}, labels: { <label>: <0..100> } }`);
  });
}

const names = operands.map((operand) => `'${operand}'`).join(' | ');

function copyOf(labels: Fields | undefined): Fields | undefined {
  try {
    return labels && { ...labels };
  } catch {
    return undefined;
  }
}

/** The texts and files of a message, and the scores that the caller gave. */
interface Scored {
  readonly texts: Texts;
  readonly files: readonly MessageFile[];
  readonly scores: readonly Scores[];
}

interface Texts {
  readonly parts: readonly { readonly text: string }[];
}

/** Reports whether a message holds files of an operand, or the caller brought scores of it. */
export function holdsMedia({ files, scores }: Scored, operand: string): boolean {
  return holdsScores(scores, operand) || files.some((file) => file.operand === operand);
}

/**
 * Returns the text of a message that is scored: all of its texts, a line each. `undefined` when
 * they are white space alone.
 */
export function scoredText({ parts }: Texts): string | undefined {
  return parts.some(({ text }) => text.trim() !== '') ? parts.map(({ text }) => text).join('\n') : undefined;
}

/** Reports whether there are scores of an operand. */
export function holdsScores(scores: readonly Scores[], operand: string): boolean {
  return scores.some((entry) => entry.operand === operand);
}

/**
 * Returns why thresholds that no score exceeds are not answered by that, in words; `undefined` when
 * they are. The text, and each file of the operand, must have scores, and each score that they name
 * must be a number from 0 to 100. Classifiers of files leave out labels that they saw nothing of:
 * one without a score counts as not exceeded. Labels of texts are those of engines and lists, each
 * of which scores by itself, so each must be there; a text of white space alone exceeds none.
 */
export function lackOfScores(
  thresholds: readonly Threshold[],
  operand: string,
  { scores, files, texts }: Scored,
): string | undefined {
  const what = operandWords(operand);
  const entries = scores.filter((entry) => entry.operand === operand);
  if (entries.length === 0)
    return isTextOperand(operand) && scoredText(texts) === undefined
      ? undefined
      : `no scores were given for the ${what}`;
  const faulty = thresholds.find((threshold) => entries.some(({ labels }) => namesNoScore(threshold, labels)));
  if (faulty !== undefined) {
    return `${faulty.any ? 'a score' : `the score of \`${faulty.label}\``} is not a number from 0 to 100`;
  }
  const isText = isTextOperand(operand);
  const ownFiles = isText ? [] : files.filter((file) => file.operand === operand);
  const unscored = isText ? thresholds.find((threshold) => !isScored(threshold, entries)) : undefined;
  if (unscored === undefined && areScored(ownFiles, entries)) return undefined;
  const failure = entries.find((entry) => entry.failure !== undefined)?.failure;
  if (failure !== undefined) return `the ${what} could not be scored: ${failure}`;
  if (unscored !== undefined && !unscored.any) return `no score of \`${unscored.label}\` was given for the ${what}`;
  if (isText) return `no scores were given for the ${what}`;
  const limit = files.length > mostScoredFiles ? `: a scorer scores ${mostScoredFiles} files of a message at most` : '';
  return `scores were not given for each ${operand}${limit}`;
}

/** Reports whether there is a score of the label of a threshold. */
function isScored({ any, key }: Threshold, entries: readonly Scores[]): boolean {
  return entries.some(({ labels }) =>
    Object.entries(labels).some(([label, score]) => isScore(score) && (any || labelKey(label) === key)),
  );
}

function namesNoScore({ any, key }: Threshold, labels: Scores['labels']): boolean {
  return Object.entries(labels).some(([label, score]) => !isScore(score) && (any || labelKey(label) === key));
}

/**
 * Reports whether every file has scores; without files, whether there are any scores. An entry with
 * a `url` stands for the file of that address, one without for any other file; one file alone takes
 * any entry.
 */
function areScored(files: readonly { readonly url?: string | undefined }[], entries: readonly Scores[]): boolean {
  const scored = entries.filter(({ labels }) => Object.values(labels).some(isScore));
  if (files.length <= 1) return scored.length > 0;
  const named = new Set(scored.map(({ url }) => url));
  const known = new Set(files.map(({ url }) => url));
  const left = files.filter(({ url }) => url === undefined || !named.has(url));
  const spare = scored.filter(({ url }) => url === undefined || !known.has(url));
  const withUrl = left.filter(({ url }) => url !== undefined).length;
  return left.length <= spare.length && withUrl <= spare.filter(({ url }) => url === undefined).length;
}

/** Returns the scores that exceed their thresholds, at most `limit`. */
export function scoresOver(
  thresholds: readonly Threshold[],
  operand: string,
  scores: readonly Scores[],
  limit: number,
): ScoreMatch[] {
  const matches: ScoreMatch[] = [];
  for (const [index, entry] of scores.entries()) {
    if (entry.operand !== operand) continue;
    for (const [label, score] of Object.entries(entry.labels)) {
      if (!isScore(score)) continue;
      const key = labelKey(label);
      for (const threshold of thresholds) {
        if (matches.length >= limit) return matches;
        if ((!threshold.any && threshold.key !== key) || score <= threshold.greaterThan) continue;
        matches.push({
          kind: 'score',
          path: `scores[${index}]`,
          operand,
          label,
          score,
          threshold: { label: threshold.label, greaterThan: threshold.greaterThan },
        });
      }
    }
  }
  return matches;
}

/** Reports whether a value is a score: a number from 0 to 100. */
function isScore(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100;
}
