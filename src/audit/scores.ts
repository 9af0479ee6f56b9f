import type { MediaScores } from '../evaluate/media.js';
import type { Auditable } from './audit.js';

/** Scores by the URL of a picture or video: labels to numbers, 0..100. */
export type ScoresByUrl = ReadonlyMap<string, Readonly<Record<string, number>>>;

type Operand = MediaScores['operand'];

const none: readonly MediaScores[] = [];

/**
 * The scores of the pictures and videos of a message, in the order of their URLs in the message: `data.attachments` (`url`,
 * `mimeType`), then `data.url` of a message of type `image` or `video`. §2.4 does not show these fields; real messages have
 * them. A medium without scores is left out, so that its conditions are reported as unevaluated.
 */
export function mediaFromScores(message: Auditable, scores: ScoresByUrl): readonly MediaScores[] {
  if (typeof message === 'string' || scores.size === 0) return none;
  // Nearly every message: nothing to look up, and nothing to allocate.
  if (message.data?.attachments === undefined && message.data?.url === undefined) return none;
  const media = new Map<string, MediaScores>();
  for (const { url, operand } of mediaOf(message)) {
    const labels = scores.get(url);
    if (labels !== undefined && !media.has(url)) media.set(url, { operand, labels, url });
  }
  return [...media.values()];
}

function* mediaOf(message: Exclude<Auditable, string>): Generator<{ url: string; operand: Operand }> {
  const { attachments, url } = message.data ?? {};
  const ownKind = operandOf(message.type);
  for (const attachment of Array.isArray(attachments) ? attachments : []) {
    const { url, mimeType } = (attachment ?? {}) as { readonly url?: unknown; readonly mimeType?: unknown };
    const operand = mimeType === undefined ? ownKind : operandOf(mimeType);
    if (typeof url === 'string' && operand !== undefined) yield { url, operand };
  }
  if (typeof url === 'string' && ownKind !== undefined) yield { url, operand: ownKind };
}

/** `image` and `video`, alone or as the first half of a MIME type. */
function operandOf(type: unknown): Operand | undefined {
  const kind = typeof type === 'string' ? type.split('/', 1)[0]?.toLowerCase() : undefined;
  return kind === 'image' || kind === 'video' ? kind : undefined;
}
