import { labelKey, type Threshold } from '../compile/threshold.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import { UsageError } from '../errors.js';
import type { ScoreMatch } from './decision.js';

/** Scores of one picture or video, 0..100 by label, from whatever scored it; messages carry none (§2.5 names only thresholds). */
export interface MediaScores {
  readonly operand: 'image' | 'video';
  readonly labels: Readonly<Record<string, number>>;
  readonly url?: string | undefined;
}

/**
 * Checks what a caller passes as media and reads it once. Throws `UsageError` that names the entry; scores that are no
 * numbers are none.
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
 * Whether a message holds what an operand is about: by its type, the MIME type of an attachment, or the caller's media.
 * Works for `image` and `video` as for kinds that cannot be evaluated here, such as `audio`.
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

/** Whether anything scored the media of an operand. */
export function hasScores(operand: string, media: readonly MediaScores[]): boolean {
  return media.some((entry) => entry.operand === operand && Object.values(entry.labels).some(isScore));
}

/** The scores over their thresholds; an empty answer is "none". `limit` bounds how many are looked for. */
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
