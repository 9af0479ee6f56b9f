/** The names of what JSON allows at an offset. */
const expectations = {
  value: 'a value',
  valueOrEnd: 'a value or `]`',
  name: 'a name in double quotes',
  nameOrEnd: 'a name in double quotes or `}`',
  colon: '`:`',
  commaOfObject: '`,` or `}`',
  commaOfArray: '`,` or `]`',
  end: 'nothing more',
} as const;

type Expected = keyof typeof expectations;

const blanks = /[ \t\n\r]*/y;
const plainValue = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Describes the first syntax error of a text, without its content, which the message of the parser
 * quotes: `at line 3, column 5, a value was expected`; returns `undefined` for JSON. `{ oneLine:
 * true }` leaves the line out. Lines and columns count from 1, columns in UTF-16 units.
 */
export function jsonFault(text: string, { oneLine = false }: { readonly oneLine?: boolean } = {}): string | undefined {
  const fault = jsonFaultAt(text);
  if (fault === undefined) return undefined;
  const before = text.slice(0, fault.at);
  const column = `column ${fault.at - before.lastIndexOf('\n')}`;
  const line = `line ${before.split('\n').length}, `;
  return `at ${oneLine ? '' : line}${column}, ${fault.expected} was expected`;
}

/**
 * Finds the first syntax error of a text: its offset, and what JSON would have there; `undefined`
 * if the text is JSON.
 */
export function jsonFaultAt(text: string): { readonly at: number; readonly expected: string } | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const afterValue = (): Expected => {
    const last = open.at(-1);
    return last === undefined ? 'end' : last === '{' ? 'commaOfObject' : 'commaOfArray';
  };
  for (;;) {
    at = endOf(blanks, text, at) ?? at;
    const sign = text[at];
    if (sign === undefined) return expected === 'end' ? undefined : { at, expected: expectations[expected] };
    const isValue: boolean = expected === 'value' || expected === 'valueOrEnd';
    const isName: boolean = expected === 'name' || expected === 'nameOrEnd';
    let end: number | undefined = at + 1;
    if (sign === '"' && (isValue || isName)) {
      end = endOfString(text, at);
      if (end === undefined) return { at, expected: 'a string that ends, with `\\` before what JSON escapes,' };
      expected = isName ? 'colon' : afterValue();
    } else if ((sign === '{' || sign === '[') && isValue) {
      open.push(sign);
      expected = sign === '{' ? 'nameOrEnd' : 'valueOrEnd';
    } else if (
      (sign === '}' && (expected === 'nameOrEnd' || expected === 'commaOfObject')) ||
      (sign === ']' && (expected === 'valueOrEnd' || expected === 'commaOfArray'))
    ) {
      open.pop();
      expected = afterValue();
    } else if (sign === ',' && expected === 'commaOfObject') expected = 'name';
    else if (sign === ',' && expected === 'commaOfArray') expected = 'value';
    else if (sign === ':' && expected === 'colon') expected = 'value';
    else {
      end = isValue ? endOf(plainValue, text, at) : undefined;
      if (end === undefined) return { at, expected: expectations[expected] };
      expected = afterValue();
    }
    at = end;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * Returns the end of the string that begins at `at`. It is a loop, since a long string would
 * exhaust the stack of a pattern.
 */
function endOfString(text: string, at: number): number | undefined {
  for (let index = at + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return index + 1;
    if (code < 0x20) return undefined;
    if (code !== 0x5c) continue;
    const end = endOf(escaped, text, index);
    if (end === undefined) return undefined;
    index = end - 1;
  }
  return undefined;
}
