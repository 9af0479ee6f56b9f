/** Reads the target of a request. */
import type { IncomingMessage } from 'node:http';

type Target = Pick<IncomingMessage, 'url'>;

/** Returns path and query of a target. The absolute form (RFC 9112, 3.2.2) loses its origin. */
export function splitTarget({ url = '' }: Target): readonly [path: string, query: string] {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  return at === -1 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}

/**
 * Returns the path with each segment percent-encoded in one way, so that routes match whatever was
 * escaped. `URL` would resolve `..`; here an id never leaves its segment. A path with a broken
 * escape is returned unchanged.
 */
export function canonicalPath(request: Target): string {
  const [path] = splitTarget(request);
  if (!isSound(path)) return path;
  return path
    .split('/')
    .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
    .join('/');
}

/** Reports whether all percent escapes of a text are valid UTF-8. */
export function isSound(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
