/** Bounds of JSON from outside, checked in one pass over the text before it is parsed: values take many times the space of their text. */

/** Limits of a JSON text. */
interface JsonBounds {
  /** Number of values: the whole, items of arrays and fields of objects, at every level. */
  readonly values: number;
  /** Levels of arrays and objects. */
  readonly depth?: number;
}

/** Values of one response, one line of NDJSON, or one document of a few fields: twice the longest keyword list. */
export const mostValues = 1_000_000;

/** Values of a file that is read whole and has many things: rule sets, rows, scores. */
export const mostValuesOfFile = 5_000_000;

const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const bracket = 0x5b;
const endBracket = 0x5d;
const brace = 0x7b;
const endBrace = 0x7d;

const encoder = new TextEncoder();

/**
 * Returns why a JSON text must not be parsed, in words that follow the name of its source; `undefined` if it is within the bounds.
 * Measured: 60 MB of brackets take 18 s and 3 GB to parse. Linear in the text; a short text is not even read. Text after a syntax error
 * may be misread, since a parser stops there.
 */
export function beyondBounds(json: Uint8Array | string, bounds: JsonBounds): string | undefined {
  const { values, depth = Number.POSITIVE_INFINITY } = bounds;
  // A value and its separator, or a level, take two characters, the last one fewer.
  if (json.length < 2 * Math.min(values, depth)) return undefined;
  const counted = countValues(typeof json === 'string' ? encoder.encode(json) : json, bounds);
  return typeof counted === 'string' ? counted : undefined;
}

/** Counts the values of a JSON text; returns words instead if it must not be parsed, as `beyondBounds` does. */
export function countValues(json: Uint8Array, bounds: JsonBounds): number | string {
  const { values: mostValues, depth: mostLevels = Number.POSITIVE_INFINITY } = bounds;
  let levels = 0;
  let values = 1;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!;
    if (byte === quote) {
      index = endOfText(json, index);
      if (index === -1) return values;
    } else if (byte === comma) {
      if (++values > mostValues) return tooMany(mostValues);
    } else if (byte === bracket || byte === brace) {
      // An empty one has no value, which its end takes back.
      values++;
      if (++levels > mostLevels) return `is nested deeper than ${mostLevels} levels`;
    } else if (byte === endBracket || byte === endBrace) {
      levels--;
      if (isEmpty(json, index)) values--;
    }
  }
  return values > mostValues ? tooMany(mostValues) : values;
}

function tooMany(mostValues: number): string {
  return `holds more than ${mostValues.toLocaleString('en-US')} values`;
}

/** Reports whether the array or object that ends at `end` is empty. Linear in all: no two ends read the same blanks. */
function isEmpty(json: Uint8Array, end: number): boolean {
  let before = end - 1;
  while (before >= 0 && json[before]! <= 0x20) before--;
  return json[before] === bracket || json[before] === brace;
}

/** Returns the closing quote of the string that begins at `start`: one after an even number of backslashes. */
function endOfText(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); ; end = json.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (json[before] === backslash) before--;
    if (end === -1 || (end - before) % 2 === 1) return end;
  }
}
