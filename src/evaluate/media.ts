import { mediaOperands } from '../compile/operands.js';
import { labelKey, type Threshold } from '../compile/threshold.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import { UsageError } from '../errors.js';
import { isMediaOperand, type MediaOperand, type MessageFile, mostScoredFiles, namesKind } from '../media.js';
import type { ScoreMatch } from './decision.js';

/** Scores of one file, 0..100 by label, from the caller's own classifier; messages carry none (§2.5 has thresholds only). */
export interface Scores {
  /** What the file is scored as. */
  readonly operand: MediaOperand;
  /** Scores by label, such as `{ violence: 87 }`; labels are compared without case, with spaces, `_` and `-` equal. */
  readonly labels: Readonly<Record<string, number>>;
  /** Address of the file, as the message has it: which of several files is scored. */
  readonly url?: string | undefined;
  /** Why the file has no scores, where something failed to score it; `labels` is empty then. Conditions that want them are unevaluated and say so. */
  readonly failure?: string | undefined;
}

/**
 * Checks the caller's media and reads each field once. Throws `UsageError` that names the entry; what is no score is kept, and leaves
 * the conditions that ask for it unevaluated.
 */
export function checkMedia(media: unknown): readonly Scores[] {
  if (media === undefined) return [];
  if (!isArray(media)) throw new UsageError('`media` must be an array of { operand, labels, url? }');
  return readItems(media).map((entry, index) => {
    const fields = asFields(entry);
    const operand = read(fields, 'operand');
    const labels = copyOf(asFields(read(fields, 'labels')));
    const url = asString(read(fields, 'url'));
    const failure = asString(read(fields, 'failure'));
    if (typeof operand === 'string' && labels !== undefined) {
      const named = { ...(url !== undefined && { url }), ...(failure !== undefined && { failure }) };
      return { operand, labels, ...named } as Scores;
    }
    throw new UsageError(`\`media[${index}]\` must be { operand: ${operands}, labels: { <label>: <0..100> } }`);
  });
}

const operands = mediaOperands.map((operand) => `'${operand}'`).join(' | ');

function copyOf(labels: Fields | undefined): Fields | undefined {
  try {
    return labels && { ...labels };
  } catch {
    return undefined;
  }
}

/** What scores are asked about: the files of a message, and the scores that were brought. */
interface Scored {
  readonly message: Fields;
  readonly files: readonly MessageFile[];
  readonly media: readonly Scores[];
}

/** Whether a message holds something of an operand: one of its files, or what the caller brought scores of. */
export function holdsMedia({ message, files, media }: Scored, operand: string): boolean {
  if (media.some((entry) => entry.operand === operand)) return true;
  return isMediaOperand(operand) ? files.some((file) => file.operand === operand) : namesKind(message, operand);
}

/**
 * Why thresholds that no score exceeds are not answered by that, in words; `undefined` when they are. Each file of the operand must
 * have scores, and each score that they ask for must be a number from 0 to 100. A label that nobody scored counts as not exceeded.
 */
export function lackOfScores(thresholds: readonly Threshold[], operand: string, scored: Scored): string | undefined {
  const entries = scored.media.filter((entry) => entry.operand === operand);
  if (entries.length === 0) return `no scores were given for the ${operand}`;
  const faulty = thresholds.find((threshold) => entries.some(({ labels }) => asksForNoScore(threshold, labels)));
  if (faulty !== undefined) {
    return `${faulty.any ? 'a score' : `the score of \`${faulty.label}\``} is no number from 0 to 100`;
  }
  const files = scored.files.filter((file) => file.operand === operand);
  if (areScored(files, entries)) return undefined;
  const failure = entries.find((entry) => entry.failure !== undefined)?.failure;
  if (failure !== undefined) return `the ${operand} could not be scored: ${failure}`;
  const limit =
    scored.files.length > mostScoredFiles
      ? `: a scorer is asked for ${mostScoredFiles} files of a message at most`
      : '';
  return `scores were not given for each ${operand}${limit}`;
}

function asksForNoScore({ any, key }: Threshold, labels: Scores['labels']): boolean {
  return Object.entries(labels).some(([label, score]) => !isScore(score) && (any || labelKey(label) === key));
}

/**
 * Whether every file has scores. An entry with a `url` stands for the file of that address, one without for any other file; one
 * file alone takes any entry.
 */
function areScored(files: readonly MessageFile[], entries: readonly Scores[]): boolean {
  const scored = entries.filter(({ labels }) => Object.values(labels).some(isScore));
  if (files.length <= 1) return scored.length > 0;
  const named = new Set(scored.map(({ url }) => url));
  const known = new Set(files.map(({ url }) => url));
  const left = files.filter(({ url }) => url === undefined || !named.has(url));
  const spare = scored.filter(({ url }) => url === undefined || !known.has(url));
  const withUrl = left.filter(({ url }) => url !== undefined).length;
  return left.length <= spare.length && withUrl <= spare.filter(({ url }) => url === undefined).length;
}

/** The scores over their thresholds, at most `limit`. */
export function scoresOver(
  thresholds: readonly Threshold[],
  operand: string,
  media: readonly Scores[],
  limit: number,
): ScoreMatch[] {
  const matches: ScoreMatch[] = [];
  for (const [index, entry] of media.entries()) {
    if (entry.operand !== operand) continue;
    for (const [label, score] of Object.entries(entry.labels)) {
      if (!isScore(score)) continue;
      const key = labelKey(label);
      for (const threshold of thresholds) {
        if (matches.length >= limit) return matches;
        if ((!threshold.any && threshold.key !== key) || score <= threshold.greaterThan) continue;
        matches.push({
          kind: 'score',
          path: `media[${index}]`,
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

/** Whether a value is a score: a number from 0 to 100. */
function isScore(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100;
}
