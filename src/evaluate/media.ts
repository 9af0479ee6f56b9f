import { labelKey, type Threshold } from '../compile/threshold.js';
import { asFields, asString, type Fields, isArray, read, readItems } from '../compile/untrusted.js';
import { UsageError } from '../errors.js';
import type { ScoreMatch } from './decision.js';

/** Scores of one picture or video, 0..100 by label, from the caller's own classifier; messages carry none (§2.5 has thresholds only). */
export interface MediaScores {
  readonly operand: 'image' | 'video';
  /** Scores by label, such as `{ violence: 87 }`; labels are compared without case, with spaces, `_` and `-` equal. */
  readonly labels: Readonly<Record<string, number>>;
  /** Address of the file, as the attachment has it: which of several files of a message is scored. */
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
    const url = asString(read(fields, 'url'));
    if (typeof operand === 'string' && labels !== undefined) {
      return { operand, labels, ...(url !== undefined && { url }) } as MediaScores;
    }
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
  return readItems(attachments).some((attachment) => hasKind(read(asFields(attachment), 'mimeType'), operand));
}

/**
 * Whether every picture (or video) of the message has scores. An entry of the caller's with a `url` stands for the attachment
 * of that URL, one without for any other attachment; a message without attachments needs one entry.
 */
export function isScored(message: Fields, operand: string, media: readonly MediaScores[]): boolean {
  const scored = media.filter((entry) => entry.operand === operand && Object.values(entry.labels).some(isScore));
  if (scored.length === 0) return false;
  const urls = mediaUrls(message, operand);
  if (urls.length <= 1) return scored.length > 0;
  const named = new Set(scored.map(({ url }) => url));
  const known = new Set(urls);
  const left = urls.filter((url) => url === undefined || !named.has(url));
  const spare = scored.filter(({ url }) => url === undefined || !known.has(url));
  const withUrl = left.filter((url) => url !== undefined).length;
  return left.length <= spare.length && withUrl <= spare.filter(({ url }) => url === undefined).length;
}

/**
 * The URLs of the message's files of an operand; `undefined` for one that has none. An attachment whose MIME type names
 * neither pictures nor videos is what the type of the message says, as is the file at `data.url`.
 */
function mediaUrls(message: Fields, operand: string): readonly (string | undefined)[] {
  const isType = read(message, 'type') === operand;
  const data = asFields(read(message, 'data'));
  const urls = readItems(read(data, 'attachments'))
    .map(asFields)
    .filter((attachment) => {
      const mimeType = read(attachment, 'mimeType');
      const isNamed = hasKind(mimeType, 'image') || hasKind(mimeType, 'video');
      return isNamed ? hasKind(mimeType, operand) : isType;
    })
    .map((attachment) => asString(read(attachment, 'url')));
  const own = asString(read(data, 'url'));
  return isType && own !== undefined && own !== '' && !urls.includes(own) ? [...urls, own] : urls;
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

function hasKind(mimeType: unknown, operand: string): boolean {
  return asString(mimeType)?.toLowerCase().startsWith(`${operand}/`) === true;
}

function isScore(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
