/** The examples that stand at the head of files in `src/engine/match/obfuscation`, worked through by the code. */
import { describe, expect, it } from 'vitest';
import { WHITE } from '../../../src/engine/match/folding.js';
import type { KeywordMatcher } from '../../../src/engine/match/keyword-scan.js';
import { Alignment, ANY } from '../../../src/engine/match/obfuscation/alignment.js';
import { Automaton, type AutomatonState, MAY_END_TERM } from '../../../src/engine/match/obfuscation/automaton.js';
import { ColumnKind, Columns, describe as columnsOf, END } from '../../../src/engine/match/obfuscation/columns.js';
import { ExactWalk } from '../../../src/engine/match/obfuscation/exact-walk.js';
import { passageEnd, passageStart, runsOfPassage } from '../../../src/engine/match/obfuscation/isolated-runs.js';
import {
  ALPHABETIC,
  BEGINS,
  IN_WORD,
  IS_SIGN,
  Isolation,
} from '../../../src/engine/match/obfuscation/isolation-classes.js';
import { isolationAfter, mayEndIsolated, START } from '../../../src/engine/match/obfuscation/isolation-states.js';
import { transformsBetween } from '../../../src/engine/match/obfuscation/letter-comparison.js';
import { LetterReader } from '../../../src/engine/match/obfuscation/letters.js';
import { Lexicon } from '../../../src/engine/match/obfuscation/lexicon.js';
import { createObfuscationMatcher } from '../../../src/engine/match/obfuscation/obfuscation-matcher.js';
import { TokenScan } from '../../../src/engine/match/obfuscation/tokens.js';
import {
  COMPATIBILITY,
  LEET,
  MARK,
  namesOf,
  STRETCHED,
  type TransformName,
} from '../../../src/engine/match/obfuscation/transforms.js';
import { runAtOnce } from '../../../src/foundation/portions.js';

const code = (character: string) => character.codePointAt(0)!;
const lexiconOf = (...terms: string[]) => runAtOnce(Lexicon.of(terms));
const matcherOf = (...terms: string[]) => runAtOnce(createObfuscationMatcher(terms, { words: 'word' }));

/** The state that a prefix of terms leads to, by letters. */
function stateOf(lexicon: Lexicon, prefix: string): number {
  let state = 0;
  for (const letter of prefix) state = lexicon.child(state, lexicon.candidatesFor(code(letter))[0]!.symbol);
  return state;
}

/** What a matcher visits: term, start, end and transforms. */
function visited(matcher: KeywordMatcher, text: string): [number, number, number, TransformName[]][] {
  const found: [number, number, number, TransformName[]][] = [];
  matcher.scan(text, (term, start, end, transforms) => {
    found.push([term, start, end, [...namesOf(transforms)]]);
  });
  return found;
}

/** The states of the automaton before each character of a text and behind it, and what may end there. */
function automatonOver(lexicon: Lexicon, text: string) {
  const automaton = new Automaton(lexicon);
  const end = runAtOnce(Columns.of(lexicon)).all[END]!;
  const states: AutomatonState[] = [automaton.start];
  const stops: number[] = [];
  for (const character of text) {
    for (const column of columnsOf(lexicon, code(character))) {
      stops.push(automaton.before(states.at(-1)!, column));
      states.push(automaton.step(states.at(-1)!, column));
    }
  }
  stops.push(automaton.before(states.at(-1)!, end));
  return { states, stops };
}

it('automaton.ts: fool and fun over f0ool', () => {
  const lexicon = lexiconOf('fool', 'fun');
  expect(['f', 'fo', 'fu', 'foo', 'fun', 'fool'].map((prefix) => stateOf(lexicon, prefix))).toEqual([1, 2, 3, 4, 5, 6]);
  const { states, stops } = automatonOver(lexicon, 'f0ool');
  expect(states.map(({ runs }) => runs.map((run) => `${run >> 2}×${run & 3}`).join())).toEqual([
    '',
    '1×1',
    '2×1',
    '2×2',
    '2×3',
    '6×1',
  ]);
  expect(stops).toEqual([0, 0, 0, 0, 0, MAY_END_TERM]);
});

it('alignment.ts: fool in f0ool', () => {
  const lexicon = lexiconOf('fool');
  expect(['f', 'fo', 'foo', 'fool'].map((prefix) => stateOf(lexicon, prefix))).toEqual([1, 2, 3, 4]);
  const read = { steps: 0 };
  const reader = new LetterReader('f0ool', read, 0);
  reader.all();
  const work = { steps: 0 };
  const alignment = new Alignment(lexicon, 'f0ool', reader, 'text', { work });
  expect(alignment.from(0)).toEqual([{ term: 0, start: 0, end: 5, transforms: LEET | STRETCHED, isPlain: false }]);
  // One for each number of letters of the three runs: 1, 3, 1.
  expect(work.steps).toBe(5);
  // Nodes are walked once.
  alignment.from(0);
  expect(work.steps).toBe(5);
});

it('obfuscation-matcher.ts: kill in `a k1ll b`', () => {
  const { stops } = automatonOver(lexiconOf('kill'), 'a k1ll b');
  expect(stops.flatMap((stop, at) => (stop === 0 ? [] : [at, stop]))).toEqual([6, MAY_END_TERM]);
  const lexicon = lexiconOf('kill');
  expect([lexicon.scannedPlain, lexicon.mostSpaces]).toEqual([[], 0]);
  expect(new ExactWalk(lexicon, new Automaton(lexicon), { steps: 0 }).mayEnd('a k1ll b', 2, 6)).toBe(true);
  expect(visited(matcherOf('kill'), 'a k1ll b')).toEqual([[0, 2, 6, ['leet']]]);
});

it('exact-walk.ts: né, ne and nж', () => {
  const lexicon = lexiconOf('né', 'kill');
  expect(automatonOver(lexicon, 'ne').stops).toEqual([0, 0, MAY_END_TERM]);
  const mayEnd = (text: string) =>
    new ExactWalk(lexicon, new Automaton(lexicon), { steps: 0 }).mayEnd(text, 0, text.length);
  expect(['né', 'ne', 'nж'].map(mayEnd)).toEqual([true, true, false]);
});

it('letter-scan.ts: buy now in `do buy n0w`', () => {
  const lexicon = lexiconOf('buy now');
  const text = 'do buy n0w';
  expect(automatonOver(lexicon, text).stops).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, MAY_END_TERM]);
  expect(lexicon.mostSpaces).toBe(1);
  expect(new ExactWalk(lexicon, new Automaton(lexicon), { steps: 0 }).mayEnd(text, 3, 10)).toBe(true);
  expect(visited(matcherOf('buy now'), text)).toEqual([[0, 3, 10, ['leet']]]);
});

it('isolation-classes.ts: the classes of a few characters', () => {
  const lexicon = lexiconOf('kill');
  const classOf = (character: string) => columnsOf(lexicon, code(character))[0]!.isolation;
  const { NONE, LETTER, SPACE, SEPARATOR, BAR, SIGN } = Isolation;
  expect([...'k1 .|@('].map(classOf)).toEqual([
    LETTER | IN_WORD | ALPHABETIC | BEGINS,
    LETTER | IN_WORD,
    SPACE,
    SEPARATOR | IS_SIGN,
    BAR | IS_SIGN,
    SIGN | IS_SIGN,
    NONE | IS_SIGN,
  ]);
});

it('tokens.ts: fuck in a text', () => {
  const text = 'oh "fu-ck!"';
  const scan = new TokenScan(lexiconOf('fuck'), text, 0, { work: { steps: 0 } });
  expect([...scan.before(3)]).toEqual([]);
  expect([...scan.before(text.length)]).toMatchObject([{ start: 4, end: 9 }]);
  expect(visited(matcherOf('fuck'), text)).toEqual([[0, 4, 9, ['interrupted']]]);
});

it('tokens.ts: fool and fork, fo*l', () => {
  const lexicon = lexiconOf('fool', 'fork');
  const work = { steps: 0 };
  const letters = new LetterReader('fo*l', { steps: 0 }, 0)
    .all()
    .map((one, at) => (at === 2 ? { ...one, base: ANY } : one));
  const alignment = new Alignment(lexicon, 'fo*l', { at: (index) => letters[index] }, 'masked', { work });
  expect(alignment.from(0)).toMatchObject([{ term: 0, end: 4 }]);
  // Two for a run of two letters: f, o and oo, r, l.
  expect(work.steps).toBe(5);
  expect(visited(matcherOf('fool', 'fork'), 'oh fo*l')).toEqual([[0, 3, 7, ['masked']]]);
});

it('isolation-states.ts: k i l', () => {
  const { LETTER, SPACE, NONE } = Isolation;
  const letter = LETTER | IN_WORD | ALPHABETIC;
  const states = [START];
  for (const isolation of [letter | BEGINS, SPACE, letter, SPACE, letter])
    states.push(isolationAfter(states.at(-1)!, isolation, true));
  const [wasFirst, mayBeFirst, isAlphabetic, wasSecond, wasThird, mayBeSecond, mayBeThird, wasSpace] = [
    ...[1, 2, 4, 8, 16, 32, 64],
    1 << 11,
  ] as [number, number, number, number, number, number, number, number];
  const hasLetter = 1 << 13;
  const between = mayBeFirst | isAlphabetic | wasSpace;
  expect(states).toEqual([
    mayBeFirst | wasSpace,
    hasLetter | wasFirst | isAlphabetic,
    mayBeSecond | between,
    hasLetter | wasSecond | isAlphabetic,
    mayBeSecond | mayBeThird | between,
    hasLetter | wasSecond | wasThird | isAlphabetic,
  ]);
  expect(states.map((state) => mayEndIsolated(state, NONE))).toEqual([false, false, false, false, false, true]);
  expect(mayEndIsolated(states.at(-1)!, LETTER)).toBe(false);
});

it('isolated-runs.ts: runs with white space, with full stops, and with a bar', () => {
  const passage = (text: string, at: number) => {
    const until = passageEnd(text, at);
    const runs = runsOfPassage(text, { steps: 0 }, passageStart(text, at, 0), until);
    return [until, runs.map((run) => text.slice(run[0]!.from, run.at(-1)!.end))];
  };
  expect(passage('so k i  l.l!', 5)).toEqual([11, ['k i  l']]);
  expect(passage('i.|.l', 2)).toEqual([5, ['i.|.l']]);
});

it('letter-comparison.ts: é and e of a term', () => {
  const compare = (text: string, term: string) => {
    const lexicon = lexiconOf(term);
    const letter = new LetterReader(text, { steps: 0 }, 0).at(0)!;
    const { symbol, transforms } = lexicon.candidatesFor(letter.base)[0]!;
    return transformsBetween(letter, lexicon.symbols[symbol]!, transforms);
  };
  expect(['é', 'e\u0301', 'e\u0301\u0323', 'e'].map((text) => compare(text, 'é'))).toEqual([
    0,
    COMPATIBILITY,
    COMPATIBILITY | MARK,
    MARK,
  ]);
  expect(['é', '3'].map((text) => compare(text, 'e'))).toEqual([MARK, LEET]);
});

it('occurrence.ts: kill, k1ll, and kill with a grapheme joiner', () => {
  const found = (text: string) => visited(matcherOf('kill'), text);
  expect(found('kill!')).toEqual([[0, 0, 4, []]]);
  expect(found('k1ll')).toEqual([[0, 0, 4, ['leet']]]);
  expect(found('kill\u034f')).toEqual([[0, 0, 4, ['ignorable']]]);
});

it('text-forms.ts: a Korean syllable in parts', () => {
  expect(visited(matcherOf('가나'), '\u1100\u1161나')).toEqual([[0, 0, 3, ['compatibility']]]);
});

it('columns.ts: kill and bill', () => {
  const lexicon = lexiconOf('kill', 'bill');
  const columns = runAtOnce(Columns.of(lexicon));
  const numberOf = (character: string) => columns.of(code(character))[0]!;
  const symbolsOf = (character: string) => {
    const { symbols } = columns.all[numberOf(character)]!;
    return [...symbols].map((symbol) => String.fromCodePoint(lexicon.symbols[symbol]!.base)).sort();
  };
  expect([symbolsOf('i'), symbolsOf('1'), symbolsOf('z'), symbolsOf(' ')]).toEqual([['i'], ['i', 'l'], [], []]);
  expect(numberOf('z')).toBe(numberOf('ж'));
  const kindOf = (character: string) => columns.all[numberOf(character)]!.kind;
  expect([kindOf('z'), kindOf(' ')]).toEqual([ColumnKind.JOINING, ColumnKind.EDGE]);
  expect(columns.all[numberOf(' ')]!.isSpace).toBe(true);
});

describe('terms as letters', () => {
  it('lexicon.ts: kill and straße', () => {
    const lexicon = lexiconOf('kill', 'straße');
    const { trie, runOf, symbols } = lexicon;
    const l = lexicon.candidatesFor(code('l'))[0]!.symbol;
    const first = lexicon.child(stateOf(lexicon, 'ki'), l);
    expect(lexicon.statesOfRun(first)).toEqual([first, lexicon.child(first, l)]);
    const ofS = symbols.flatMap(({ base }, symbol) => (symbol > 0 && base === code('s') ? [symbol] : []));
    expect([ofS.length, new Set(ofS.map((symbol) => runOf[symbol])).size]).toEqual([3, 1]);
    expect(ofS.every((symbol) => trie.label.includes(symbol))).toBe(true);
    expect(
      lexicon.candidatesFor(code('1')).map(({ symbol, transforms }) => [symbols[symbol]!.base, transforms]),
    ).toEqual([
      [code('i'), LEET],
      [code('l'), LEET],
    ]);
  });

  it('term-letters.ts: Né and a flag', () => {
    const { symbols } = lexiconOf('Né');
    expect(symbols.slice(1).map(({ base, wantedMarks }) => [base, wantedMarks])).toEqual([
      [code('e'), [0x301]],
      [code('n'), []],
    ]);
    const flag = '🇮🇹';
    expect([visited(matcherOf(flag), flag), visited(matcherOf(flag), 'it')]).toEqual([[[0, 0, 4, []]], []]);
  });

  it('letters.ts: what a text is read as', () => {
    const letters = new LetterReader('k\u200bï ß', { steps: 0 }, 0).all();
    expect(letters.map(({ base, from, to, ignoredBefore }) => [base, from, to, ignoredBefore])).toEqual([
      [code('k'), 0, 1, false],
      [code('i'), 2, 3, true],
      [WHITE, 3, 4, false],
      [code('s'), 4, 5, false],
      [code('s'), 4, 5, false],
    ]);
    expect(letters[1]!.decomposition.marks).toEqual([0x308]);
  });
});
