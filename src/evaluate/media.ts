import { labelKey, type Threshold } from '../compile/threshold.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import { UsageError } from '../errors.js';
import type { ScoreMatch } from './decision.js';

/** Scores of one picture or video, 0..100 by label, from the caller's own classifier; messages carry none (§2.5 has thresholds only). */
export interface MediaScores {
  readonly operand: 'image' | 'video';
  readonly labels: Readonly<Record<string, number>>;
  readonly url?: string | undefined;
}

/**
 * Checks the caller's media and reads each field once. Throws `UsageError` that names the entry; scores that are no numbers
 * are ignored.
 */
export function checkMedia(media: unknown): readonly MediaScores[] {
  if (media === undefined) return [];
  if (!isArray(media)) throw new UsageError('`media` must be an array of { operand, labels, url? }');
  return readItems(media).map((entry, index) => {
    const fields = asFields(entry);
    const operand = read(fields, 'operand');
    const labels = copyOf(asFields(read(fields, 'labels')));
    if (typeof operand === 'string' && labels !== undefined) return { operand, labels } as MediaScores;
    throw new UsageError(`\`media[${index}]\` must be { operand: 'image' | 'video', labels: { <label>: <0..100> } }`);
  });
}

function copyOf(labels: Fields | undefined): Fields | undefined {
  try {
    return labels && { ...labels };
  } catch {
    return undefined;
  }
}

/**
 * Whether a message holds media of an operand: by its type, the MIME type of an attachment, or the caller's media.
 * Works for `image` and `video`, and for operands that cannot be evaluated, such as `audio`.
 */
export function holdsMedia(message: Fields, operand: string, media: readonly MediaScores[]): boolean {
  if (media.some((entry) => entry.operand === operand)) return true;
  if (read(message, 'type') === operand) return true;
  const attachments = read(asFields(read(message, 'data')), 'attachments');
  return readItems(attachments).some((attachment) =>
    asString(read(asFields(attachment), 'mimeType'))
      ?.toLowerCase()
      .startsWith(`${operand}/`),
  );
}

/** Whether there is a score for media of the operand. */
export function hasScores(operand: string, media: readonly MediaScores[]): boolean {
  return media.some((entry) => entry.operand === operand && Object.values(entry.labels).some(isScore));
}

/** The scores over their thresholds, at most `limit`. */
export function scoresOver(
  thresholds: readonly Threshold[],
  operand: string,
  media: readonly MediaScores[],
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

function isScore(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
