import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createEngine,
  type Decision,
  type MaskOptions,
  mask,
  type PatternMatch,
  UsageError,
  type WordMatch,
} from '../src/index.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyText } from './support/arbitrary-message.js';
import { runs } from './support/runs.js';

const clustersOf = (text: string) => [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)];
const isBlank = (text: string) => text.trim() === '';

/** The spans of non-empty matches in `data.text`, shadow rules left out. */
const spansOf = ({ matched }: Decision) =>
  matched
    .filter(({ shadow }) => !shadow)
    .flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches))
    .filter((match): match is WordMatch | PatternMatch => match.kind !== 'score' && match.path === 'data.text')
    .map(({ span }) => span)
    .filter(({ start, end }) => start < end);

/**
 * The default mask, cluster by cluster: a cluster is masked when some span has a character of it.
 */
function naiveMask(text: string, decision: Decision): string {
  const spans = spansOf(decision);
  return clustersOf(text)
    .map(({ index, segment }) => {
      const found = spans.some(({ start, end }) => start < index + segment.length && end > index);
      return found && !isBlank(segment) ? '*' : segment;
    })
    .join('');
}

/**
 * The parts that are replaced as one: widened spans, of which two that overlap are joined until
 * none do.
 */
function naiveParts(text: string, decision: Decision): readonly (readonly [start: number, end: number])[] {
  const clusters = clustersOf(text).map(({ index, segment }) => [index, index + segment.length] as const);
  let parts = spansOf(decision).map(({ start, end }) => {
    const covered = clusters.filter(([from, to]) => from < end && to > start);
    return [covered[0]![0], covered.at(-1)![1]] as const;
  });
  for (;;) {
    const [one, other] = parts
      .flatMap((first, at) => parts.slice(at + 1).map((second) => [first, second] as const))
      .find(([[a, b], [c, d]]) => a < d && c < b) ?? [undefined, undefined];
    if (one === undefined || other === undefined) return parts.sort(([a], [b]) => a - b);
    parts = [
      ...parts.filter((part) => part !== one && part !== other),
      [Math.min(one[0], other[0]), Math.max(one[1], other[1])],
    ];
  }
}

const clusters = ['e\u0301', '👨‍👩‍👧', '🇩🇪', '🇩🇪🇫🇷', '\r\n', ' \u0301', 'kill\u0301', '👍🏽', 'कि', '\u200b'];
const anyClusters = fc
  .array(fc.oneof(anyText, fc.constantFrom(...clusters)), { maxLength: 6 })
  .map((parts) => parts.join(''));

/** Decides a random text by random rules, one rule of which splits clusters. */
function assertForAll(holds: (text: string, decision: Decision) => void): void {
  const splitting = {
    id: 'splitting',
    conditions: [{ operand: 'text', category: 'pattern', value: ['[ek👍]|\\p{Mn}k?', '^'] }],
  };
  fc.assert(
    fc.property(anyRuleSet, anyReadings, anyClusters, ({ rules, lists }, readings, text) => {
      const engine = createEngine({ rules: [...rules, splitting], lists }, readings);
      holds(text, engine.explain(text));
    }),
    { numRuns: runs(25) },
  );
}

const engine = createEngine(
  {
    rules: [
      {
        id: 'words',
        action: 'blockMessage',
        conditions: [{ operand: 'text', value: ['buy now', 'now is', 'idiot', 'idiot of'] }],
      },
      { id: 'e', conditions: [{ operand: 'text', category: 'pattern', value: ['e', '^', '👩'] }] },
      { id: 'watched', action: 'dropMessage', conditions: [{ operand: 'text', value: ['hello'] }] },
      { id: 'custom', action: 'blockMessage', conditions: [{ operand: 'custom', value: ['idiot'] }] },
    ],
    lists: [],
  },
  { shadow: ['watched'] },
);
const masked = (text: string, options?: MaskOptions) => mask(text, engine.explain(text), options);

describe('mask: by default', () => {
  it.each([
    ['Oh, Buy  NOW!', 'Oh, ***  ***!'],
    ['buy now is', '*** *** **'],
    ['hello', 'h*llo'],
    ['cafe\u0301, 👨‍👩‍👧!', 'caf*, *!'],
    ['nothing 🇩🇪', 'nothing 🇩🇪'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  it('stars stand for the clusters of matches that are not white space, all else stays', () => {
    assertForAll((text, decision) => expect(mask(text, decision)).toBe(naiveMask(text, decision)));
  });

  it('keeps the number of grapheme clusters, unless a masked control character had kept a mark apart', () => {
    assertForAll((text, decision) => {
      if (/[\p{Cf}\p{Cs}]/u.test(text.replaceAll('\u200d', ''))) return;
      expect(clustersOf(mask(text, decision)).length).toBe(clustersOf(text).length);
    });
  });

  it('changes nothing of a text without matches', () => {
    const clean = createEngine({ rules: [], lists: [] });
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => mask(text, clean.explain(text)) === text));
  });
});

describe('mask: with a replacement', () => {
  it('a text stands for each part', () => {
    assertForAll((text, decision) => {
      let expected = '';
      let copied = 0;
      for (const [start, end] of naiveParts(text, decision)) {
        expected += `${text.slice(copied, start)}[…]`;
        copied = end;
      }
      expect(mask(text, decision, { with: '[…]' })).toBe(expected + text.slice(copied));
    });
  });

  it('a function is called with each part, and the first of its matches', () => {
    assertForAll((text, decision) => {
      const seen: string[] = [];
      const same = mask(text, decision, {
        with: (part, match) => {
          expect(part).toContain(match.text);
          seen.push(part);
          return part;
        },
      });
      expect(same).toBe(text);
      expect(seen).toEqual(naiveParts(text, decision).map(([start, end]) => text.slice(start, end)));
    });
    const terms: string[] = [];
    masked('buy now is, idiot, idiot of', {
      with: (_, match) => String(terms.push(match.kind === 'word' ? match.term : '')),
    });
    expect(terms).toEqual(['buy now', 'idiot', 'idiot of']);
  });
});

describe('mask', () => {
  it('takes another text of the message by its path', () => {
    const message = {
      category: 'custom',
      data: { text: 'idiot', customData: { title: 'hello', body: ['you idiot'] } },
    };
    const decision = engine.explain(message);
    expect(mask('idiot', decision)).toBe('*****');
    expect(mask('you idiot', decision, { path: 'data.customData.body[0]' })).toBe('you *****');
    expect(mask('hello', decision, { path: 'data.customData.title' })).toBe('hello');
  });

  it('leaves scores and shadow rules out', () => {
    const scored = createEngine({
      rules: [{ id: 's', action: 'blockMessage', conditions: [{ operand: 'image', value: 'AnyOf_greaterThan_1' }] }],
      lists: [],
    });
    const decision = scored.explain({ type: 'image', data: { text: 'hi' } }, [
      { operand: 'image', labels: { gore: 9 } },
    ]);
    expect([decision.verdict, mask('hi', decision)]).toEqual(['blockMessage', 'hi']);
    expect(engine.explain('hullo hello').matched.some(({ shadow }) => shadow)).toBe(true);
    expect(masked('hullo hello')).toBe('hullo h*llo');
  });

  it('masks the matches that a truncated decision has', () => {
    const text = 'idiot '.repeat(1500);
    const decision = engine.explain(text);
    expect(decision.truncated).toBe(true);
    const stars = mask(text, decision).split('*****').length - 1;
    expect(stars).toBe(spansOf(decision).length);
    expect(stars).toBeGreaterThan(100);
  });

  it('works on a decision that was written down as JSON', () => {
    expect(mask('idiot', JSON.parse(JSON.stringify(engine.explain('idiot'))))).toBe('*****');
  });

  it('throws a usage error for another text, without quoting it', () => {
    const decision = engine.explain('an idiot');
    for (const text of ['an idea', 'idiot', '', 'AN IDIOT']) {
      expect(() => mask(text, decision)).toThrow(UsageError);
      expect(() => mask(text, decision)).toThrow('another text than this one; pass the text at `data.text`');
    }
  });

  it('throws a usage error for options that are none', () => {
    const decision = engine.explain('an idiot');
    expect(() => mask({ data: { text: 'an idiot' } } as never, decision)).toThrow('takes the text itself');
    expect(() => mask('an idiot', decision, { whit: '' } as never)).toThrow("did you mean 'with'?");
    expect(() => mask('an idiot', decision, { with: 3 as never })).toThrow('`with` must be a text');
    expect(() => mask('an idiot', decision, { with: (() => undefined) as never })).toThrow('must return a text');
  });
});
