import { describe, expect, it } from 'vitest';
import { HttpError, UsageError } from '../../src/foundation/errors.js';
import type { ScoreRequest } from '../../src/index.js';
import type { Labels, Scorer } from '../../src/live/scorers/scorer.js';
import { createScoring, type ScoringOptions } from '../../src/live/scorers/scoring.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { stopClock } from '../support/clock.js';
import { rejection } from '../support/http.js';
import { turns } from '../support/until.js';
import { fileRequests } from './file-requests.js';

/** A message with pictures at these addresses. */
const message = (...urls: readonly string[]): MessageDraft => ({
  data: { attachments: urls.map((url) => ({ url, mimeType: 'image/png' })) },
});

/** A scorer whose calls wait until they are settled by hand. */
function scorerByHand() {
  const calls: {
    readonly attachment: ScoreRequest;
    readonly signal: AbortSignal;
    readonly give: (labels: Labels | undefined) => Promise<void>;
    readonly fail: (error: unknown) => Promise<void>;
  }[] = [];
  const scorer: Scorer = {
    score: (attachment, { signal }) =>
      new Promise((resolve, reject) => {
        const then = (settle: () => void) => {
          settle();
          return turns(5);
        };
        calls.push({
          attachment,
          signal,
          give: (labels) => then(() => resolve(labels)),
          fail: (error) => then(() => reject(error)),
        });
      }),
  };
  return { calls, scorer, urls: () => calls.map(({ attachment }) => attachment.url) };
}

function scoringByHand(options: ScoringOptions = {}) {
  const world = stopClock();
  const hand = scorerByHand();
  return { ...hand, world, scoring: createScoring(hand.scorer, options) };
}

/** A scorer that gives every file the same scores at once, and records what it was called with. */
function promptScorer(labels: Labels | 'unknown' = { violence: 50 }) {
  const urls: string[] = [];
  const scorer: Scorer = {
    score: async ({ url }) => {
      urls.push(url!);
      return labels === 'unknown' ? undefined : labels;
    },
  };
  return { scorer, urls };
}

describe('scores for a message', () => {
  it('are those of its pictures and videos, in order', async () => {
    const { scoring, calls } = scoringByHand();
    const mixed = {
      data: {
        attachments: [
          { url: 'a', mimeType: 'image/png' },
          { mimeType: 'image/gif' },
          { url: 'b', mimeType: 'video/mp4' },
        ],
      },
    };
    const scores = scoring.scoresOf(fileRequests(mixed));
    await turns(5);
    expect(calls.map(({ attachment }) => attachment)).toEqual([
      { operand: 'image', url: 'a', mimeType: 'image/png', labels: ['violence'], message: mixed },
      { operand: 'video', url: 'b', mimeType: 'video/mp4', labels: ['violence'], message: mixed },
    ]);
    await calls[1]!.give({ gambling: 7 });
    await calls[0]!.give({ violence: 50 });
    expect(await scores).toEqual({
      scores: [
        { operand: 'image', url: 'a', labels: { violence: 50 } },
        { operand: 'video', url: 'b', labels: { gambling: 7 } },
      ],
      failures: [],
    });
  });

  it('a file of which none are known is in neither list', async () => {
    const { scorer } = promptScorer('unknown');
    expect(await createScoring(scorer).scoresOf(fileRequests(message('a')))).toEqual({ scores: [], failures: [] });
  });
});

describe('failures of a scorer', () => {
  const secret = 'signature=0123456789';

  it.each<[string, () => unknown, string]>([
    [
      'an error of ours',
      () => Promise.reject(new HttpError('POST x', 'was answered', { status: 500 })),
      'was answered',
    ],
    ['an error of others, which may quote anything', () => Promise.reject(new Error(secret)), 'the scorer failed'],
    [
      'an error of others with a kind, a code and a cause',
      () =>
        Promise.reject(
          Object.assign(new TypeError(secret, { cause: Object.assign(new Error(secret), { code: 'ECONNREFUSED' }) }), {
            status: 503,
            code: 'ERR_INVALID_URL',
          }),
        ),
      'the scorer failed: TypeError, ERR_INVALID_URL, 503, ECONNREFUSED',
    ],
    [
      'an error whose name and code are secrets',
      () => Promise.reject(Object.assign(new Error(secret), { name: secret, code: 'AKIA0123456789', status: secret })),
      'the scorer failed',
    ],
    [
      'an error whose fields throw',
      () =>
        Promise.reject(
          Object.defineProperty(new Error(secret), 'code', {
            get() {
              throw new Error(secret);
            },
          }),
        ),
      'the scorer failed',
    ],
    ['what is not an error', () => Promise.reject(secret), 'the scorer failed'],
    [
      'an error before there is a promise',
      () => {
        throw new Error(secret);
      },
      'the scorer failed',
    ],
    [
      'scores that are none',
      async () => ({ violence: '90' }),
      'the scorer did not return scores from 0 to 100 by label',
    ],
    ['scores beyond 100', async () => ({ violence: 900 }), 'the scorer did not return scores from 0 to 100 by label'],
    ['null', () => null, 'the scorer did not return scores from 0 to 100 by label'],
  ])('%s', async (_, score, why) => {
    const scoring = createScoring({ score: score as Scorer['score'] });
    expect(await scoring.scoresOf(fileRequests(message(`a?${secret}`)))).toEqual({
      scores: [],
      failures: [{ operand: 'image', url: `a?${secret}`, why }],
    });
  });

  it('one that does not finish in time fails, signal or no signal; the time begins with its turn', async () => {
    const { scoring, calls, world, urls } = scoringByHand({ concurrency: 1, timeoutMs: 1000 });
    const scores = scoring.scoresOf(fileRequests(message('a', 'b')));
    await world.pass(999);
    expect(urls()).toEqual(['a']);
    expect(calls[0]!.signal.aborted).toBe(false);
    await world.pass(1);
    expect(calls[0]!.signal.aborted).toBe(true);
    expect(urls()).toEqual(['a', 'b']);
    await world.pass(999);
    await calls[1]!.give({ violence: 1 });
    expect(await scores).toEqual({
      scores: [{ operand: 'image', url: 'b', labels: { violence: 1 } }],
      failures: [{ operand: 'image', url: 'a', why: 'the scorer did not finish within 1000 ms' }],
    });
    expect(world.timers()).toBe(0);
  });

  it('is not kept: the next message asks again', async () => {
    const { scoring, calls, urls } = scoringByHand();
    const first = scoring.scoresOf(fileRequests(message('a')));
    await turns(5);
    await calls[0]!.fail(new Error('down'));
    expect((await first).failures).toHaveLength(1);
    const second = scoring.scoresOf(fileRequests(message('a')));
    await turns(5);
    await calls[1]!.give({ violence: 3 });
    expect((await second).scores).toHaveLength(1);
    expect(urls()).toEqual(['a', 'a']);
  });
});

describe('calls of a scorer', () => {
  it('are bounded over all messages', async () => {
    const { scoring, calls } = scoringByHand({ concurrency: 3 });
    const scores = Promise.all([
      scoring.scoresOf(fileRequests(message('a', 'b'))),
      scoring.scoresOf(fileRequests(message('c', 'd', 'e'))),
    ]);
    await turns(5);
    expect(calls).toHaveLength(3);
    for (let next = 0; next < 5; next++) {
      await calls[next]!.give({ violence: next });
      expect(calls.length).toBeLessThanOrEqual(next + 4);
    }
    await scores;
    expect(calls).toHaveLength(5);
  });

  it('one for each file at a time: messages that hold it share it', async () => {
    const { scoring, calls } = scoringByHand();
    const scores = Promise.all(
      [message('a'), message('a', 'b'), message('a')].map((each) => scoring.scoresOf(fileRequests(each))),
    );
    await turns(5);
    expect(calls).toHaveLength(2);
    await calls[0]!.give({ violence: 4 });
    await calls[1]!.give(undefined);
    const media = [{ operand: 'image', url: 'a', labels: { violence: 4 } }];
    expect((await scores).map((each) => each.scores)).toEqual([media, media, media]);
  });

  it('the same address as a picture and as a video is two files', async () => {
    const { scorer, urls } = promptScorer();
    const scoring = createScoring(scorer);
    await scoring.scoresOf(fileRequests(message('a')));
    await scoring.scoresOf(fileRequests({ type: 'video', data: { url: 'a' } }));
    expect(urls).toEqual(['a', 'a']);
  });
});

describe('a message of thousands of files', () => {
  const urls = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  it('has its first 20 scored, also the next time, when these are kept', async () => {
    const { scorer, urls: called } = promptScorer();
    const scoring = createScoring(scorer);
    const first = await scoring.scoresOf(fileRequests(message(...urls('a', 5000))));
    expect(first.scores.map(({ url }) => url)).toEqual(urls('a', 20));
    expect(await scoring.scoresOf(fileRequests(message(...urls('a', 5000))))).toEqual(first);
    expect(called).toEqual(urls('a', 20));
  });

  it('20 besides those that the caller has scores of, and none of operands that are not asked for', async () => {
    const { scorer, urls: called } = promptScorer();
    const given = urls('a', 5).map((url) => ({ operand: 'image', url, labels: {} }) as const);
    const notes = urls('note', 30).map((url) => ({ url, mimeType: 'text/plain' }));
    const pictures = urls('a', 30).map((url) => ({ url, mimeType: 'image/png' }));
    const mixed = { data: { attachments: [...notes, ...pictures] } };
    await createScoring(scorer).scoresOf(fileRequests(mixed, given, ['image']));
    expect(called).toEqual(urls('a', 25).slice(5));
  });

  it('takes turns with the others: one that comes behind it waits for one file, not for twenty', async () => {
    const { scoring, calls, urls: called } = scoringByHand({ concurrency: 2 });
    const all = [
      scoring.scoresOf(fileRequests(message(...urls('a', 40)))),
      scoring.scoresOf(fileRequests(message('b0', 'b1', 'b2'))),
    ];
    all.push(scoring.scoresOf(fileRequests(message('c0'))));
    expect(called()).toEqual(['a0', 'a1']);
    for (let next = 0; next < 7; next++) await calls[next]!.give({ violence: 1 });
    expect(called()).toEqual(['a0', 'a1', 'a2', 'b0', 'c0', 'a3', 'b1', 'a4', 'b2']);
    for (let next = 7; next < 24; next++) await calls[next]!.give({ violence: 1 });
    expect((await Promise.all(all)).map(({ scores }) => scores.length)).toEqual([20, 3, 1]);
    expect(calls).toHaveLength(24);
  });

  it('a file that waits in a long message is scored in the turn of a short one that has it too', async () => {
    const { scoring, calls, urls: called } = scoringByHand({ concurrency: 1 });
    const long = scoring.scoresOf(fileRequests(message(...urls('a', 20))));
    const short = scoring.scoresOf(fileRequests(message('a19')));
    for (const next of [0, 1, 2]) await calls[next]!.give({ violence: next });
    expect((await short).scores).toEqual([{ operand: 'image', url: 'a19', labels: { violence: 2 } }]);
    expect(called()).toEqual(['a0', 'a1', 'a19', 'a2']);
    for (let next = 3; next < 20; next++) await calls[next]!.give({ violence: 1 });
    expect((await long).scores).toHaveLength(20);
    expect(calls).toHaveLength(20);
  });

  it('that nobody waits for any more takes no further turn', async () => {
    const { scoring, calls, urls: called } = scoringByHand({ concurrency: 1 });
    const controller = new AbortController();
    const long = rejection(scoring.scoresOf(fileRequests(message(...urls('a', 20))), controller.signal));
    const other = scoring.scoresOf(fileRequests(message('b')));
    controller.abort('enough');
    expect(await long).toBe('enough');
    await turns(5);
    expect(called()).toEqual(['a0', 'b']);
    await calls[1]!.give({ violence: 1 });
    expect((await other).scores).toHaveLength(1);
    expect(calls).toHaveLength(2);
  });

  it('files whose scores are kept take no turn', async () => {
    const { scoring, calls, urls: called } = scoringByHand({ concurrency: 1 });
    const first = scoring.scoresOf(fileRequests(message('kept')));
    await calls[0]!.give({ violence: 1 });
    await first;
    void scoring.scoresOf(fileRequests(message('hangs')));
    expect((await scoring.scoresOf(fileRequests(message('kept')))).scores).toHaveLength(1);
    expect(called()).toEqual(['kept', 'hangs']);
  });
});

describe('kept scores', () => {
  it('serve every later message', async () => {
    const { scorer, urls } = promptScorer();
    const scoring = createScoring(scorer);
    const first = await scoring.scoresOf(fileRequests(message('a', 'b')));
    expect(await scoring.scoresOf(fileRequests(message('a', 'b')))).toEqual(first);
    expect(urls).toEqual(['a', 'b']);
  });

  it('are copied: a scorer may fill one object for all files', async () => {
    const labels: Record<string, number> = {};
    const { scoresOf } = createScoring({
      score: async ({ url }) => {
        labels.violence = url === 'bad' ? 99 : 1;
        return labels;
      },
    });
    await scoresOf(fileRequests(message('bad')));
    await scoresOf(fileRequests(message('good')));
    expect((await scoresOf(fileRequests(message('bad')))).scores).toMatchObject([{ labels: { violence: 99 } }]);
  });

  it('those used least recently are dropped first', async () => {
    const { scorer, urls } = promptScorer();
    const scoring = createScoring(scorer, { cacheSize: 2 });
    for (const url of ['a', 'b', 'a', 'c', 'a', 'b']) await scoring.scoresOf(fileRequests(message(url)));
    expect(urls).toEqual(['a', 'b', 'c', 'b']);
  });

  it('none with a cache of 0; of addresses that are files themselves as of others', async () => {
    const { scorer, urls } = promptScorer();
    const data = `data:image/png;base64,${'A'.repeat(5000)}`;
    const uncached = createScoring(scorer, { cacheSize: 0 });
    for (const each of [uncached, uncached]) await each.scoresOf(fileRequests(message('a')));
    const cached = createScoring(scorer);
    for (const each of [cached, cached]) await each.scoresOf(fileRequests(message(data)));
    expect(urls).toEqual(['a', 'a', data]);
  });

  it('unknown scores are not kept', async () => {
    const { scorer, urls } = promptScorer('unknown');
    const scoring = createScoring(scorer);
    await scoring.scoresOf(fileRequests(message('a')));
    await scoring.scoresOf(fileRequests(message('a')));
    expect(urls).toEqual(['a', 'a']);
  });
});

describe('an abort', () => {
  it('rejects with its reason, and ends the calls that nobody else waits for', async () => {
    const { scoring, calls, world } = scoringByHand({ concurrency: 2 });
    const controller = new AbortController();
    const aborted = rejection(scoring.scoresOf(fileRequests(message('a', 'b', 'queued')), controller.signal));
    const other = scoring.scoresOf(fileRequests(message('a')));
    await turns(5);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await turns(5);
    expect(calls.map(({ attachment, signal }) => `${attachment.url} ${signal.aborted}`)).toEqual(['a false', 'b true']);
    await calls[0]!.give({ violence: 4 });
    expect((await other).scores).toHaveLength(1);
    expect(world.timers()).toBe(0);
  });

  it('before the call: no call', async () => {
    const { scorer, urls } = promptScorer();
    expect(
      await rejection(createScoring(scorer).scoresOf(fileRequests(message('a')), AbortSignal.abort('early'))),
    ).toBe('early');
    expect(urls).toEqual([]);
  });
});

describe('options of scoring', () => {
  it.each<[unknown, unknown, string]>([
    [undefined, {}, 'a scorer must be an object with a `score` method'],
    [{ score: 7 }, {}, 'a scorer must be an object with a `score` method'],
    [promptScorer().scorer, { concurency: 3 }, "`scoring` has no option 'concurency'; did you mean 'concurrency'?"],
    [promptScorer().scorer, { concurrency: 0 }, '`scoring.concurrency` must be a whole number from 1'],
    [promptScorer().scorer, { timeoutMs: 0.5 }, '`scoring.timeoutMs`'],
    [promptScorer().scorer, { cacheSize: -1 }, '`scoring.cacheSize`'],
    [promptScorer().scorer, null, '`scoring` must be an object of options'],
  ])('%j with %j is refused', (scorer, options, words) => {
    let error: unknown;
    try {
      createScoring(scorer as Scorer, options as ScoringOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(words);
  });
});
