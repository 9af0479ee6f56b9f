import { asFields, asString, type Fields, read, readItems } from '../../engine/compile/untrusted.js';
import type { Labels, Scorer } from './scorer.js';

/** The label that stands for all others, as live rules write it in their thresholds. */
const anyUnsafe = 'Any unsafe content';

/**
 * A scorer that reads what a message already carries. The document shows no scores; metadata is free-form (§2.4), and one
 * extension of live platforms writes its verdict there, under `data.metadata["@injected"].extensions["image-moderation"]`:
 * `{ unsafe: "yes" | "no", confidence: "99", category: "violence", attachments: [{ data: { url, verdict }, error }] }`,
 * where `verdict` has the first three fields again, for the file of that address.
 *
 * An unsafe picture has its confidence as the score of its category and of `Any unsafe content`; a safe one has 0 for the
 * latter. The verdict of the whole message holds for pictures that have none of their own. What is missing or has another
 * form is read as no scores.
 *
 * Texts have none.
 *
 * Only for messages that came from the platform: whoever writes the metadata of a message can call its pictures safe.
 */
export function carriedScores(): Scorer {
  return {
    score: async ({ operand, url, message }) => {
      if (url === undefined) return undefined;
      const metadata = asFields(read(asFields(read(asFields(message), 'data')), 'metadata'));
      const extensions = asFields(read(asFields(read(metadata, '@injected')), 'extensions'));
      const summary = asFields(read(extensions, 'image-moderation'));
      const own = readItems(read(summary, 'attachments'))
        .map(asFields)
        .find((entry) => read(asFields(read(entry, 'data')), 'url') === url);
      if (own !== undefined) return hasError(own) ? undefined : labelsOf(read(asFields(read(own, 'data')), 'verdict'));
      return operand === 'image' ? labelsOf(summary) : undefined;
    },
  };
}

function hasError(entry: Fields): boolean {
  const error = read(entry, 'error');
  return error !== undefined && error !== null && error !== false && error !== '';
}

function labelsOf(verdict: unknown): Labels | undefined {
  const fields = asFields(verdict);
  const unsafe = read(fields, 'unsafe');
  const answer = unsafe === true ? 'yes' : unsafe === false ? 'no' : asString(unsafe)?.toLowerCase();
  if (answer === 'no') return { [anyUnsafe]: 0 };
  const confidence = percentOf(read(fields, 'confidence'));
  if (answer !== 'yes' || confidence === undefined) return undefined;
  const category = asString(read(fields, 'category')) ?? '';
  return { [anyUnsafe]: confidence, ...(category === '' ? {} : { [category]: confidence }) };
}

/** A number from 0 to 100, or one written as a plain decimal, with or without a percent sign. */
function percentOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : (asString(value)?.trim() ?? '');
  if (!/^\d+(?:\.\d+)?%?$/.test(text)) return undefined;
  const percent = Number.parseFloat(text);
  return percent <= 100 ? percent : undefined;
}
