import { endpoints, type Operation } from '../contract/endpoints.js';
import { refusals } from './refusals.js';

/** What a request is for. */
export interface Route {
  readonly name: Operation;
  /** Path parameters by name, percent-decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly search: URLSearchParams;
}

/** The base path of every operation (§9). */
export const basePath = '/v3';

const rows = (Object.keys(endpoints) as Operation[]).map((name) => ({
  name,
  method: endpoints[name].method,
  segments: `${basePath}${endpoints[name].path}`.split('/'),
}));

/**
 * Finds the row of the endpoint table that a request line asks for. The target is taken apart as it came and not by `URL`,
 * which resolves `..` and `%2e%2e`: an id is never more than the segment it stands in. Refuses with 404, 405 (with `Allow`),
 * or 400 for a broken percent escape.
 */
export function findRoute(method: string, target: string): Route {
  const [pathname, query] = splitTarget(target);
  const segments = pathname.split('/').map(decodeSegment);
  const here = rows.flatMap((row) => {
    const path = matchSegments(row.segments, segments);
    return path === undefined ? [] : [{ name: row.name, method: row.method, path }];
  });
  if (here.length === 0) throw refusals.noSuchPath();
  const asked = method === 'HEAD' ? 'GET' : method;
  const found = here.find((row) => row.method === asked);
  if (found !== undefined) return { name: found.name, path: found.path, search: new URLSearchParams(query) };
  const allowed = here.map((row) => row.method);
  throw refusals.wrongMethod(
    method,
    allowed.flatMap((its) => (its === 'GET' ? ['GET', 'HEAD'] : [its])),
  );
}

/** Path and query of a request target; in absolute form (RFC 9112, 3.2.2) the origin is skipped. */
function splitTarget(target: string): readonly [string, string] {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  return at === -1 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refusals.malformedPath();
  }
}

function matchSegments(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const path: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(.+)\}$/.exec(expected)?.[1];
    if (name === undefined ? segment !== expected : segment === '') return undefined;
    if (name !== undefined) path[name] = segment;
  }
  return path;
}
