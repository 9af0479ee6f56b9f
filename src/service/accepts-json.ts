/** Media ranges that take in `application/json`, and how specific each is. */
const ranges: Readonly<Record<string, number>> = { '*/*': 1, 'application/*': 2, 'application/json': 3 };

/**
 * Whether a header `accept` (RFC 9110, 12.5.1) takes JSON: of the ranges that take it in, the most specific decides, and only a
 * weight of 0 says no. Without the header anything goes. Parameters other than `q` are not told apart.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  let decided = { specific: 0, weight: 0 };
  for (const entry of accept.split(',')) {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const specific = Object.hasOwn(ranges, range) ? ranges[range]! : 0;
    if (specific > decided.specific) decided = { specific, weight: weightOf(parameters) };
  }
  return decided.weight > 0;
}

function weightOf(parameters: readonly string[]): number {
  const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const weight = written === undefined ? 1 : Number.parseFloat(written);
  return Number.isNaN(weight) ? 1 : weight;
}
