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

/** Every method that some path takes. */
export const serviceMethods: readonly string[] = methodsOf(rows);

/**
 * Finds the row of the endpoint table that a request line asks for. The target is taken apart as it came and not by `URL`,
 * which resolves `..` and `%2e%2e`: an id is never more than the segment it stands in. Refuses with 404, 405 (with `Allow`),
 * or 400 for a broken percent escape.
 */
export function findRoute(method: string, target: string): Route {
  const [pathname, query] = splitTarget(target);
  const here = rowsAt(pathname);
  const asked = method === 'HEAD' ? 'GET' : method;
  const found = here.find((row) => row.method === asked);
  if (found === undefined) throw refusals.wrongMethod(method, methodsOf(here));
  return { name: found.name, path: found.path, search: readSearch(query) };
}

/** The methods that a target takes, for `OPTIONS`; `*` is the service as a whole. Refuses as `findRoute` does. */
export function findMethods(target: string): readonly string[] {
  return target === '*' ? serviceMethods : methodsOf(rowsAt(splitTarget(target)[0]));
}

/** The path of a target, as it came, without origin and query. */
export function pathOf(target: string): string {
  return splitTarget(target)[0];
}

function rowsAt(pathname: string) {
  const segments = pathname.split('/').map(decodeSegment);
  const here = rows.flatMap((row) => {
    const path = matchSegments(row.segments, segments);
    return path === undefined ? [] : [{ name: row.name, method: row.method, path }];
  });
  if (here.length === 0) throw refusals.noSuchPath();
  return here;
}

/** Whoever takes GET takes HEAD, and everything takes OPTIONS. */
function methodsOf(here: readonly { readonly method: string }[]): readonly string[] {
  const methods = new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
  return [...methods, 'OPTIONS'];
}

/** `URLSearchParams` alone would take a broken escape for the characters it is written with, and search for those. */
function readSearch(query: string): URLSearchParams {
  try {
    decodeURIComponent(query);
  } catch {
    throw refusals.malformedQuery();
  }
  return new URLSearchParams(query);
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
