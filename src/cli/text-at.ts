import type { MessageDraft } from '../contract/message-draft.js';

/**
 * The text that stands at a JSON path of a message, as a decision writes paths: `data.customData["a key"][2]`. Nothing
 * when there is no text.
 */
export function textAt(message: MessageDraft, path: string): string | undefined {
  let value: unknown = message;
  for (const [, name, index, quoted] of path.matchAll(/\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy)) {
    const key = name ?? index ?? (JSON.parse(quoted!) as string);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return typeof value === 'string' ? value : undefined;
}
