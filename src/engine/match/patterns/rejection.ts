/**
 * Reasons of rejected patterns, the same for every engine: the construct that RE2 lacks, and what
 * to write instead where there is a replacement. The engine determines what is rejected; its
 * message is only parsed for the kind of fault and the quoted piece of the pattern. For groups that
 * piece is too short, so that they are searched for in the pattern.
 */

/** Longest reason, in UTF-16 units; quoted pieces are cut to `MAX_QUOTED`. */
const MAX_REASON = 200;
const MAX_QUOTED = 40;

/**
 * Explains the message of an engine about a pattern (as passed to the engine). Lowercase, one line.
 */
export function explainRejection(pattern: string, message: string): string {
  const text = message.replace(/^error parsing regexp: /, '').replace(/\s+/g, ' ');
  const [, fault = '', named = ''] = /^(.*?)(?:: (.*))?$/.exec(text)!;
  const piece = /^`.*`$/.test(named) ? named.slice(1, -1) : named;
  const explained = explanations.find(([faults]) => faults.test(fault))?.[1](piece, pattern);
  return (explained ?? text).slice(0, MAX_REASON);
}

type Explain = (piece: string, pattern: string) => string | undefined;

const not = (what: string, instead?: string) =>
  `${what} is not part of RE2${instead === undefined ? '' : `; ${instead}`}`;
const quote = (piece: string) => `\`${piece.length > MAX_QUOTED ? `${piece.slice(0, MAX_QUOTED)}…` : piece}\``;

/** Explanations of re2js and RE2 errors. */
const explanations: readonly (readonly [RegExp, Explain])[] = [
  [/^invalid (?:or unsupported Perl syntax|perl operator|named capture)/, (_, pattern) => explainGroup(pattern)],
  [
    /^(?:missing argument to|no argument for) repetition/,
    (piece, pattern) => explainVerb(pattern) ?? noArgument(piece),
  ],
  [/^(?:invalid nested|bad) repetition operator/, explainRepeat],
  [/^invalid repe(?:at count|tition size)/, explainCount],
  [/^invalid escape sequence/, explainEscape],
  [/^invalid character class range/, explainRange],
  [/^duplicate capture group name/, (piece) => `two groups are named ${quote(piece)}; name each in its own way`],
  [/^missing (?:closing )?\)/, () => 'missing closing ) of a group'],
  [/^missing (?:closing )?\]/, () => 'missing closing ] of a character class'],
  [/^unexpected \)/, () => 'unexpected ) that closes no group; write `\\)` for the character itself'],
  [/^trailing /, () => 'the `\\` at the end escapes nothing; write `\\\\` for the character itself'],
];

const writeOut = 'write out what may come again';

type ExplainGroup = (opener: string) => string;

/** Openers of groups that RE2 does not have. The first that matches is used. */
const groups: readonly (readonly [RegExp, ExplainGroup])[] = [
  [/\(\?<=/y, () => not('look-behind `(?<=…)`', 'match the text before as well, or use two conditions')],
  [
    /\(\?<!/y,
    () => not('look-behind `(?<!…)`', 'match what may stand before, as `(?:^|[^a])` does, or a word edge, `\\b`'),
  ],
  [/\(\?=/y, () => not('look-ahead `(?=…)`', 'match the text behind as well, or use two conditions')],
  [/\(\?!/y, () => not('look-ahead `(?!…)`', 'match what may follow, as `(?:[^a]|$)` does, or a word edge, `\\b`')],
  [/\(\?>/y, () => not('atomic group `(?>…)`', 'write `(?:…)`: nothing is ever tried twice')],
  [/\(\?\|/y, () => not('branch reset `(?|…)`', 'write `(?:…)`: numbers of groups mean nothing here')],
  [/\(\?#/y, () => not('comment `(?#…)`', 'leave it out')],
  [/\(\?\(/y, () => not('conditional group `(?(…)…)`', 'write its cases as alternatives')],
  [/\(\?P=\w*/y, (opener) => not(`back reference ${quote(`${opener})`)}`, writeOut)],
  [
    /\(\?(?:P>\w*|&\w*|R|[+-]?\d+)/y,
    (opener) => not(`recursion ${quote(`${opener})`)}`, 'write the part out as deep as it may be nested'),
  ],
  [/\(\?'/y, () => not("group name in quotes `(?'…'…)`", 'write `(?<…>…)`')],
  [/\(\?P?</y, () => 'the name of a group, `(?<…>`, has letters of ASCII, digits and `_` only'],
  [/\(\?(?:\?|\{|C)/y, (opener) => not(`code in a pattern, ${quote(`${opener}…)`)},`, 'leave it out')],
  [/\(\?[\^a-zA-Z-]*x/y, () => not('flag `x`', 'leave white space and comments out of the pattern, and the flag')],
  [/\(\?[imsU-]*[\^a-zA-Z]/y, (opener) => not(`flag ${quote(opener.at(-1)!)}`, 'there are `i`, `m`, `s` and `U`')],
  [
    /\(\?/y,
    () => 'what follows `(?` begins no group of RE2; write `(?:…)` for a group, `\\(` for the character itself',
  ],
];

/** Groups that RE2 has: capturing, non-capturing, named, with flags. */
const known = /\((?:(?!\?)|\?(?:P<\w+>|[imsU]*(?:-[imsU]+)?[:)]))/y;
/** Flags of RE2 at the end of the pattern. */
const unfinished = /\(\?[imsU-]*$/y;
const verb = /\(\*[A-Za-z_]\w*/y;

function matchAt(regex: RegExp, pattern: string, at: number): string | undefined {
  regex.lastIndex = at;
  return regex.exec(pattern)?.[0];
}

/** Engines parse from left to right, so the error is in the first group that RE2 does not have. */
function explainGroup(pattern: string): string | undefined {
  for (const { at } of landmarks(pattern, '(')) {
    if (matchAt(known, pattern, at) !== undefined) continue;
    if (matchAt(unfinished, pattern, at) !== undefined) return explainGroupEnd;
    for (const [opener, explain] of groups) {
      const found = matchAt(opener, pattern, at);
      if (found !== undefined) return explain(found);
    }
  }
  return undefined;
}

const explainGroupEnd = 'the pattern ends within `(?`; write `\\(` for the character itself';

function explainVerb(pattern: string): string | undefined {
  for (const { at } of landmarks(pattern, '(')) {
    const found = matchAt(verb, pattern, at);
    if (found !== undefined) return not(`verb ${quote(`${found})`)}`, 'leave it out');
  }
  return undefined;
}

/**
 * Offsets of escapes (`\\`), in a class or not, or of groups (`(`), neither escaped nor in a class.
 */
function* landmarks(pattern: string, kind: '\\' | '('): Generator<{ readonly at: number; readonly inClass: boolean }> {
  /**
   * Offset of the first character of an open class, at which `]` does not close it; -1 outside of
   * classes.
   */
  let first = -1;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    const inClass = first >= 0;
    if (character === kind && (kind === '\\' || !inClass)) yield { at, inClass };
    if (character === '\\') at++;
    else if (inClass && character === '[') at += (matchAt(named, pattern, at)?.length ?? 1) - 1;
    else if (inClass && character === ']' && at > first) first = -1;
    else if (!inClass && character === '[') {
      if (pattern[at + 1] === '^') at++;
      first = at + 1;
    }
  }
}

const named = /\[:\^?\w+:\]/y;

const noArgument = (piece: string) =>
  `${quote(piece)} repeats nothing; write \`\\${piece[0] ?? ''}\` for the character itself`;

function explainRepeat(piece: string): string {
  if (!/.\+$/.test(piece)) return `${quote(piece)} repeats a repeat; put what is repeated into a group, \`(?:…)\``;
  return not(`possessive repeat ${quote(piece)}`, `write ${quote(piece.slice(0, -1))}: nothing is ever tried twice`);
}

function explainCount(piece: string): string {
  const [, least, most] = /^\{(\d+),(\d+)\}/.exec(piece) ?? [];
  if (Number(least) > Number(most)) return `${quote(piece)} has the larger number first`;
  return `${quote(piece)} repeats too often; 1000 times at most, repeats within repeats multiplied`;
}

/** Replacements of escapes that RE2 does not have and other engines do, by letter. */
const escapes: Readonly<Record<string, string>> = {
  E: 'leave it out: no `\\Q` stands before it',
  G: 'leave it out',
  H: 'write `[^ \\t]`',
  K: 'leave it out: the match begins earlier then',
  M: 'write `\\b`',
  N: 'write `.`, or `\\x{…}` for a character by its number',
  R: 'write `(?:\\r\\n|\\n|\\r)`',
  U: 'write `\\x{…}`, or eight hexadecimal digits behind it',
  V: 'write `[^\\n\\r]`',
  X: 'write `\\P{M}\\p{M}*`',
  Z: 'write `\\z`, or `\\n?\\z` before a last line end',
  e: 'write `\\x1b`',
  h: 'write `[ \\t]`',
  m: 'write `\\b`',
  o: 'write `\\x{…}` with hexadecimal digits',
  y: 'write `\\b`',
};
/** Remedies for escapes within a character class. */
const escapesInClass: Readonly<Record<string, string>> = {
  R: 'write `\\r\\n`',
  b: 'write `\\x08` for a backspace',
  e: 'write `\\x1b`',
  h: 'write a space and `\\t`',
  o: 'write `\\x{…}` with hexadecimal digits',
};

function explainEscape(piece: string, pattern: string): string {
  const letter = [...piece][1] ?? '';
  if (letter === 'u') return '`\\u` takes four hexadecimal digits, or up to six in braces: `\\u00e9`, `\\u{1f600}`';
  if (letter === 'x')
    return `${quote(piece)} is not a character; \`\\x\` takes two hexadecimal digits, or up to six in braces: \`\\x{1f600}\``;
  if (letter === 'c') return '`\\c` takes a letter from A to Z';
  if (letter > '\x7f') return not(`escape ${quote(piece)}`, 'write the character without `\\`');
  if (/[pP]/.test(letter) && pattern.endsWith(piece)) return explainRange(piece);
  if (/[dDsSwWpP]/.test(letter)) return `${quote(piece)} cannot end a range; write \`\\-\` for a hyphen in a class`;
  if (/[AbBz]/.test(letter) || isFirstInClass(piece, pattern)) {
    const instead = /[1-9]/.test(letter) ? 'write `\\x` and two hexadecimal digits' : escapesInClass[letter];
    return not(`${quote(piece)} in a character class`, instead);
  }
  if (/[1-9]/.test(letter)) return not(`back reference ${quote(piece)}`, writeOut);
  if (letter === 'k') return not('back reference `\\k`', writeOut);
  if (letter === 'C') return '`\\C`, one byte, is not supported; write `.`';
  if (letter === 'g') return not('`\\g`, a back reference or recursion,', writeOut);
  return not(`escape ${quote(piece)}`, escapes[letter]);
}

/**
 * Reports whether the first occurrence of an escape is in a class. With two octal digits it is a
 * character code, and skipped.
 */
function isFirstInClass(piece: string, pattern: string): boolean {
  for (const { at, inClass } of landmarks(pattern, '\\'))
    if (pattern.startsWith(piece, at) && matchAt(octal, pattern, at) === undefined) return inClass;
  return false;
}

const octal = /\\[1-7][0-7]/y;

function explainRange(piece: string): string {
  if (/^\\[pP]/.test(piece)) {
    const what = /^\\[pP](?:\{[^{}]*\}|[^{])$/.test(piece) ? quote(piece) : 'what follows `\\p`';
    return `${what} is not a property of this engine; there are categories such as \`\\p{L}\`, scripts such as \`\\p{Greek}\``;
  }
  if (piece.startsWith('[:'))
    return `${quote(piece)} is not a class of RE2; there are \`[:alpha:]\`, \`[:digit:]\`, \`[:space:]\` and others`;
  if (piece.endsWith('--'))
    return not('difference of character classes, `--`,', 'write the characters out; `\\-` is a hyphen');
  return `${quote(piece)} in a character class ends before it begins; write \`\\-\` for a hyphen`;
}
