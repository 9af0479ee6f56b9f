import { describe, expect, it } from 'vitest';
import { bytesInUse } from '../../bench/heap.js';
import { createEngine } from '../../src/index.js';

/** Clean texts, each with something that a scan has to leave its loop for. */
const clean = [
  'see you at eight, by the river',
  'kommt ihr auch? es ist ein bißchen kalt',
  'https://www.photos.test/a/696c and 202-555-0170, call +1 30',
  'we are 3 to 5, the rest 4.7.5 at 9 a 6 · 2.1.6',
  "n't, I'm in!!! kkk and hmm",
  'まあ、ありがとう！ サーバーが落ちて 🌈🇧🇷 😂',
  'نعم هههه сколько это стоит',
  'family 👨‍👩‍👧 and ﬁve ① ² soft\u00adhyphen',
  'आराम से आओ · สวัสดีครับ · 오늘 뭐 해? · où ça, à 7 | b + c',
  'c’était très bien | 7 + 8 = 15',
];
const terms = ['tne', 'kill yourself', 'idiot', 'shit', 'дурак', 'ばか', 'crétin', 'غبي', '바보', '笨蛋'];

const ruleSet = {
  lists: [],
  rules: [
    {
      id: 'r',
      action: ['blockMessage'],
      conditions: [
        { id: 1, operand: 'text', operator: 'contains', category: 'word', value: terms },
        {
          id: 2,
          operand: 'text',
          operator: 'contains',
          category: 'pattern',
          value: ['\\bfree \\d+ coins\\b', 'x{3,}y'],
        },
      ],
    },
  ],
};

describe('decide on clean messages', () => {
  it.each(['case', 'hardened', 'exact'] as const)('allocates nothing: folding %s', (folding) => {
    const engine = createEngine(ruleSet, { folding });
    const messages = clean.map((text) => ({ category: 'message', type: 'text', data: { text } }));
    const pass = (times: number) => {
      let allowed = 0;
      // By number: an iterator for every ten messages would be what is measured.
      for (let asked = 0; asked < times * messages.length; asked++) {
        if (engine.decide(messages[asked % messages.length]!) === 'allow') allowed++;
      }
      return allowed;
    };
    expect(pass(100)).toBe(100 * messages.length);
    const perDecision = () => {
      bytesInUse();
      const before = process.memoryUsage().heapUsed;
      pass(6_000);
      return (process.memoryUsage().heapUsed - before) / (6_000 * messages.length);
    };
    // What the measurement allocates itself is little beside so many decisions; code allocates
    // until it is compiled.
    let least = perDecision();
    for (let turn = 0; turn < 120 && least >= 1; turn++) least = Math.min(least, perDecision());
    expect(least).toBeLessThan(1);
    engine.close();
  });
});
