import type { Reply } from '../reply.js';

/** A page of a list: entries under `data`, and `meta` (§2.7). */
export interface JsonPage {
  readonly data: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The page that a reply holds; undefined for anything else. */
export function pageOf({ status, body }: Reply): JsonPage | undefined {
  if (status !== 200) return undefined;
  const document = JSON.parse(body) as JsonPage;
  const { data, meta } = document;
  return Array.isArray(data) && typeof meta === 'object' && meta !== null ? document : undefined;
}

/** A reply with another document in its body. */
export function jsonReply(reply: Reply, document: object): Reply {
  const body = JSON.stringify(document);
  return { ...reply, body, headers: { ...reply.headers, 'content-length': Buffer.byteLength(body) } };
}
