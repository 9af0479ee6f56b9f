/** The target of a request, as it came. */
import type { IncomingMessage } from 'node:http';

type Target = Pick<IncomingMessage, 'url'>;

/** A request target as it came; in absolute form (RFC 9112, 3.2.2) without the origin. */
export function localTarget({ url = '' }: Target): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
}

/** Its path and its query. */
export function splitTarget(request: Target): readonly [path: string, query: string] {
  const local = localTarget(request);
  const at = local.indexOf('?');
  return at === -1 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}

/**
 * The path with each segment percent-encoded in one way, so that routes match whatever needed no escape. Not by `URL`, which
 * resolves `..`: an id is never more than the segment it stands in. A path with a broken escape is given back as it is.
 */
export function canonicalPath(request: Target): string {
  const [path] = splitTarget(request);
  if (!isSound(path)) return path;
  return path
    .split('/')
    .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
    .join('/');
}

/** Whether all percent escapes of a text stand for characters. */
export function isSound(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
