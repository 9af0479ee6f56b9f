/** Bounds of JSON from outside, found in one pass over its text before it is parsed: values take many times the room of their text. */

/** What a JSON text may hold. */
export interface JsonBounds {
  /** Values: the whole, items of arrays and fields of objects, at every level. */
  readonly values: number;
  /** Levels of arrays and objects. */
  readonly depth?: number;
}

/** Values of one response, one line of NDJSON, or one document of a few fields: twice the longest keyword list. */
export const mostValues = 1_000_000;

/** Values of a file that is read whole and holds many things: rule sets, rows, scores. */
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
 * Why a JSON text is not to be parsed, in words that follow the name of what holds it; `undefined` when it is within the bounds.
 * Measured: 60 MB of brackets take 18 s and 3 GB to parse. Linear in the text, of which a short one is not even read. What comes
 * after an error of syntax may be misread, as no parser gets there; bytes of characters beyond ASCII are none of those that count.
 */
export function beyondBounds(json: Uint8Array | string, bounds: JsonBounds): string | undefined {
  const { values, depth = Number.POSITIVE_INFINITY } = bounds;
  // A value and what divides it from the next one, or a level, take two characters, the last one fewer.
  if (json.length < 2 * Math.min(values, depth)) return undefined;
  const counted = countValues(typeof json === 'string' ? encoder.encode(json) : json, bounds);
  return typeof counted === 'string' ? counted : undefined;
}

/** How many values a JSON text holds; in words, why it is not to be parsed, as `beyondBounds` says it. */
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
      // An empty one holds no value, which its end takes back.
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

/** Whether the array or object that ends at `end` has nothing inside but blanks. Linear in all: no two ends look at the same blanks. */
function isEmpty(json: Uint8Array, end: number): boolean {
  let before = end - 1;
  while (before >= 0 && json[before]! <= 0x20) before--;
  return json[before] === bracket || json[before] === brace;
}

/** Where the text that begins with the quote at `start` has its closing one: behind an even number of backslashes. */
function endOfText(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); ; end = json.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (json[before] === backslash) before--;
    if (end === -1 || (end - before) % 2 === 1) return end;
  }
}
