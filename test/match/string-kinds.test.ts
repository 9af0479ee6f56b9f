import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';

/** Ways to come by a string, each of which V8 may represent in another way. */
const kinds: readonly ((text: string) => string)[] = [
  (text) => Buffer.from(text).toString(),
  (text) => `yyyyyyyyyyyyy${text}`.slice(13),
  (text) => `${text.slice(0, 20)}${text.slice(20)}`,
  (text) => Object.keys({ [text]: 1 })[0]!,
  (text) => JSON.parse(JSON.stringify(text)),
  (text) => [...text].join(''),
  (text) => Array.from(text).reduce((whole, character) => whole + character, ''),
  (text) => Buffer.from(text, 'utf16le').toString('utf16le'),
];
const texts = [
  'you are an idiot, my friend',
  'café for the idiot in the corner',
  'идиот, or an idiot in between',
  'nothing to see 😀 here',
];

describe('every internal kind of string', () => {
  it.each(['case', 'hardened'] as const)('has the same spans: folding %s', (folding) => {
    const value = ['idiot', 'идиот'];
    const conditions = [
      { operand: 'text', value },
      { operand: 'text', category: 'pattern', value: ['f[a-z]+e?nd', 'c.r'] },
    ];
    const engine = createEngine({ rules: [{ id: 'r', action: 'blockMessage', conditions }], lists: [] } as never, {
      folding,
    });
    for (const text of texts) {
      const expected = engine.explain(text);
      for (const kind of kinds) {
        expect(kind(text)).toBe(text);
        expect(engine.decide(kind(text))).toBe(expected.verdict);
        expect(engine.explain(kind(text))).toEqual(expected);
      }
    }
  });
});
