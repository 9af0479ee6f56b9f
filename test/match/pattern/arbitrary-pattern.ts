import fc from 'fast-check';

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'ab',
    '1',
    'é',
    '😀',
    '\\x{1F600}',
    '\\x00',
    '\\x{D800}',
    '[\\x{D800}-\\x{DFFF}]',
    '\\n',
    '.',
    '(?s:.)',
    '',
  ],
  ...[
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\W',
    '\\s',
    '[[:alpha:]]',
    '\\p{L}',
    '\\P{L}',
    '\\p{Greek}',
    '[^\\p{L}a]',
    '[^\\x00-\\x{10FFFF}]',
  ],
  ...['^', '$', '\\A', '\\z', '\\b', '(?m:^)', '(?m:$)', '(?i:k)', '(?i:s)', '(?i:é)', '(?i:ς)'],
);

const repeat = fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '??', '{0,2}?');
const flags = fc.constantFrom('i', 'm', 's', 'U', 'im', 'is');

/** Patterns in RE2 syntax that mostly compile: classes, repeats, choices, groups, anchors, flags. */
export const arbitraryPattern: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: atom, weight: 4 },
    { arbitrary: fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')), weight: 3 },
    { arbitrary: fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${one}|${two})`), weight: 2 },
    { arbitrary: fc.tuple(tie('node'), repeat).map(([inner, times]) => `(${inner})${times}`), weight: 2 },
    { arbitrary: fc.tuple(flags, tie('node')).map(([flag, inner]) => `(?${flag}:${inner})`), weight: 1 },
  ),
})).node;

/** Texts of the characters on which engines part ways: case orbits, halves of astral characters, line ends, NUL. */
export const arbitraryText: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...['a', 'b', 'A', 'B', '1', '_', '-', ' ', '\n', '\r', '\0', 'é', 'É', 'я', 'σ', 'ς', 'Σ'],
      ...['k', 'K', '\u212a', 's', 'ſ', '😀', '\u{10400}', '\ud800', '\udc00'],
    ),
    { maxLength: 20 },
  )
  .map((characters) => characters.join(''));
