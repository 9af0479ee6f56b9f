/** Pictures scored by the scorer of a moderator. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createModerator, type ScoreRequest, type Scorer, UsageError } from '../../src/index.js';
import { lists, platform, rule, workplace } from './platform.js';

const { moderatorOf } = workplace();
const pictures: typeof rule = {
  id: 'pictures',
  action: ['dropMessage'],
  conditions: [{ operand: 'image', value: ['violence_greaterThan_50'] }],
};
const url = (name: string) => `https://media.example/${name}?signature=secret`;
const withPictures = (...names: string[]) => ({
  type: 'image',
  data: { text: 'look', attachments: names.map((name) => ({ url: url(name), mimeType: 'image/png' })) },
});

/**
 * Scores by the first letter of a file: `v` is violent, `f` fails, `u` is unknown, others are fine.
 */
function scorer() {
  const called: ScoreRequest[] = [];
  const score: Scorer['score'] = async (attachment) => {
    called.push(attachment);
    const name = attachment.url!.slice(url('').indexOf('?'))[0];
    if (name === 'f') throw new Error(`no scores for ${attachment.url}`);
    return name === 'u' ? undefined : { violence: name === 'v' ? 90 : 1 };
  };
  return { scorer: { score }, called };
}
const source = () => platform({ rules: [rule, pictures], lists: lists('darn') }).source;

describe('decideAsync and explainAsync', () => {
  it.each([
    ['one violent picture', ['v'], 'dropMessage', []],
    ['a violent one among others', ['a', 'v'], 'dropMessage', []],
    ['fine ones', ['a', 'b'], 'allow', []],
    ['one that the scorer fails at', ['f'], 'allow', ['no-scores']],
    ['a fine one, and one that it fails at', ['a', 'f'], 'allow', ['no-scores']],
    ['a fine one, and one that it knows nothing of', ['a', 'u'], 'allow', ['no-scores']],
  ])('%s', async (_, names, verdict, why) => {
    const moderator = await moderatorOf({ source: source(), scorer: scorer().scorer });
    const message = withPictures(...names);
    expect(await moderator.decideAsync(message)).toBe(verdict);
    const decision = await moderator.explainAsync(message);
    expect(decision).toMatchObject({ verdict, revision: moderator.revision, ageMs: expect.any(Number) });
    expect(decision.unevaluated.map((row) => row.why)).toEqual(why);
  });

  it('why a picture could not be scored stands in what was not evaluated; of one that the scorer knows nothing of, that it has no scores', async () => {
    const slow: Scorer = { score: () => new Promise(() => {}) };
    const shapeless = { score: async () => 'fine' } as unknown as Scorer;
    const detailOf = async (given: Scorer, ...names: string[]) => {
      const moderator = await moderatorOf({ source: source(), scorer: given, scoring: { timeoutMs: 5 } });
      const { unevaluated } = await moderator.explainAsync(withPictures(...names));
      return unevaluated.map(({ detail }) => detail);
    };
    expect(await detailOf(scorer().scorer, 'f')).toEqual(['the image could not be scored: the scorer failed']);
    expect(await detailOf(scorer().scorer, 'a', 'f')).toEqual(['the image could not be scored: the scorer failed']);
    expect(await detailOf(scorer().scorer, 'u')).toEqual(['no scores were given for the image']);
    const late = 'the image could not be scored: the scorer did not finish within 5 ms';
    expect(await detailOf(slow, 'a')).toEqual([late]);
    const odd = 'the image could not be scored: the scorer did not return scores from 0 to 100 by label';
    expect(await detailOf(shapeless, 'a')).toEqual([odd]);
  });

  it('a medium that could not be scored is what `missingScores` says', async () => {
    const semantics = { missingScores: 'block' } as const;
    const moderator = await moderatorOf({ source: source(), semantics, scorer: scorer().scorer });
    expect(await moderator.decideAsync(withPictures('a', 'f'))).toBe('dropMessage');
    expect(await moderator.decideAsync(withPictures('a', 'b'))).toBe('allow');
  });

  it('scores that the caller gives are not asked for again, and come first', async () => {
    const { scorer: given, called } = scorer();
    const moderator = await moderatorOf({ source: source(), scorer: given });
    const media = [{ operand: 'image', labels: { violence: 70 }, url: url('a') }] as const;
    const { matched } = await moderator.explainAsync(withPictures('a', 'v'), media);
    expect(matched[0]?.conditions[0]?.matches.map(({ path }) => path)).toEqual(['scores[0]', 'scores[1]']);
    expect(called.map((attachment) => attachment.url)).toEqual([url('v')]);
  });

  it.each([[{}], ['x'], [5], [[null]], [[5]]])('scores that are none, %j, are a UsageError', async (media) => {
    const moderator = await moderatorOf({ source: source(), scorer: scorer().scorer });
    await expect(moderator.decideAsync(withPictures('a'), media as never)).rejects.toThrow(UsageError);
  });

  it('a file that no rule asks for is not scored', async () => {
    const { scorer: given, called } = scorer();
    const moderator = await moderatorOf({ source: source(), scorer: given });
    const note = { url: url('note'), mimeType: 'text/plain' };
    await moderator.decideAsync({
      data: { attachments: [note, { url: url('c'), mimeType: 'video/mp4' }, { url: url('a'), mimeType: 'image/png' }] },
    });
    await moderator.decideAsync({ data: { text: 'x', attachments: [note] } });
    expect(called.map((attachment) => attachment.url)).toEqual([url('a')]);
  });

  it('of more than 20 pictures the others are unevaluated, in words, and block where missing scores do', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `a${index}`);
    const { scorer: given, called } = scorer();
    const moderator = await moderatorOf({ source: source(), scorer: given });
    const decision = await moderator.explainAsync(withPictures(...names));
    expect(called).toHaveLength(20);
    expect(decision).toMatchObject({
      verdict: 'allow',
      unevaluated: [
        {
          why: 'no-scores',
          detail: 'scores were not given for each image: a scorer scores 20 files of a message at most',
        },
      ],
    });
    const strict = await moderatorOf({ source: source(), scorer: given, semantics: { missingScores: 'block' } });
    expect(await strict.decideAsync(withPictures(...names))).toBe('dropMessage');
    expect(await strict.decideAsync(withPictures(...names.slice(0, 20)))).toBe('allow');
  });

  it('scores from 0 to 1 are said in the status, until one is above 1', async () => {
    const moderator = await moderatorOf({ source: source(), scorer: { score: async () => ({ violence: 0.97 }) } });
    for (let index = 0; index < 19; index++) await moderator.decideAsync(withPictures(`a${index}`));
    await moderator.decideAsync(withPictures('a0'));
    expect(moderator.status.scoresWarning).toBeUndefined();
    moderator.decide(withPictures('b'), [{ operand: 'image', labels: { violence: 0.5 } }]);
    expect(moderator.status.scoresWarning).toMatchObject({
      code: 'scores-up-to-one',
      message: expect.stringMatching(/^none of 20 scored texts and files has a score above 1: .*`scale: 1`$/),
    });
    expect(moderator.status.state).toBe('fresh');
    moderator.explain('x', [{ operand: 'image', labels: { violence: 1.5 } }]);
    expect(moderator.status).not.toHaveProperty('scoresWarning');
  });

  it('a deadline ends the wait: the message is judged with the scores that have come, and says what is missing', async () => {
    const given: Scorer = {
      score: async ({ url: asked }) => (asked === url('v') ? { violence: 90 } : new Promise(() => {})),
    };
    const moderator = await moderatorOf({ source: source(), scorer: given });
    const { signal } = new AbortController();
    const byDeadline = async (...names: string[]) => {
      const late = new AbortController();
      const asked = moderator.explainAsync(withPictures(...names), undefined, { signal, deadline: late.signal });
      await new Promise((resolve) => setImmediate(resolve));
      late.abort();
      const { verdict, unevaluated } = await asked;
      expect(getEventListeners(late.signal, 'abort')).toEqual([]);
      return [verdict, ...unevaluated.map(({ detail }) => detail)];
    };
    expect(await byDeadline('a', 'v')).toEqual(['dropMessage']);
    expect(await byDeadline('a')).toEqual(['allow', expect.stringContaining('before the deadline of the message')]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const deadline = AbortSignal.abort();
    expect(await moderator.decideAsync('darn', undefined, { deadline })).toBe('blockMessage');
    expect(await moderator.decideAsync(withPictures('b'), undefined, { deadline })).toBe('allow');
  });

  it('`decide` and `explain` beside a scorer say once that they do not ask it, in the status and as a warning', async () => {
    const warnings: { readonly code?: string; readonly name: string }[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    try {
      const { scorer: given, called } = scorer();
      const moderator = await moderatorOf({ source: source(), scorer: given });
      await moderator.decideAsync(withPictures('a'));
      moderator.explain(withPictures('v'), []);
      expect(moderator.status).not.toHaveProperty('scoresWarning');
      expect(moderator.decide(withPictures('v'))).toBe('allow');
      moderator.explain('x');
      await new Promise((resolve) => setImmediate(resolve));
      expect(called).toHaveLength(1);
      expect(moderator.status.scoresWarning?.code).toBe('scorer-not-asked');
      expect(warnings).toMatchObject([{ name: 'SluiceWarning', code: 'scorer-not-asked' }]);
      const heard: unknown[] = [];
      const listened = await moderatorOf({ source: source(), scorer: given });
      listened.on('warning', ({ code }) => heard.push(code));
      for (let times = 0; times < 2; times++) listened.decide('x');
      const words = await moderatorOf({ source: platform({ rules: [rule] }).source, scorer: given });
      words.decide('x');
      await new Promise((resolve) => setImmediate(resolve));
      expect([heard, warnings.length, words.status.scoresWarning]).toEqual([['scorer-not-asked'], 1, undefined]);
    } finally {
      process.off('warning', note);
    }
  });

  it('reject after `close`, for an aborted signal, and for a message that is none', async () => {
    const moderator = await createModerator({ source: source(), scorer: scorer().scorer });
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(moderator.decideAsync('x', undefined, { signal: aborted })).rejects.toThrow('enough');
    await expect(moderator.explainAsync(5 as never)).rejects.toThrow(UsageError);
    await moderator.close();
    await expect(moderator.decideAsync('x')).rejects.toThrow(UsageError);
  });

  it('of many messages may have one signal, and no listener of it stays', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    try {
      const moderator = await moderatorOf({ source: source(), scorer: scorer().scorer });
      const { signal } = new AbortController();
      const names = Array.from({ length: 40 }, (_, at) => `a${at}`);
      await Promise.all(names.map((name) => moderator.decideAsync(withPictures(name), undefined, { signal })));
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings.map(({ message }) => message)).toEqual([]);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  });

  it('rules that change while a picture is scored decide whole: those of the end', async () => {
    const { state, source: changing } = platform({ rules: [rule, pictures] });
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Scorer = {
      score: async () => {
        await gate;
        return { violence: 90 };
      },
    };
    const moderator = await moderatorOf({ source: changing, scorer: slow, guard: 'off' });
    const deciding = moderator.explainAsync(withPictures('v'));
    state.rules = [rule];
    await moderator.refresh();
    release();
    expect(await deciding).toMatchObject({ verdict: 'allow', revision: moderator.revision });
  });

  it('sluice:scorer:call: one event for each call, without an address', async () => {
    const heard: unknown[] = [];
    const listener = (event: unknown) => heard.push(event);
    subscribe('sluice:scorer:call', listener);
    const moderator = await moderatorOf({ source: source(), scorer: scorer().scorer });
    for (const names of [['v'], ['v'], ['f'], ['u']]) await moderator.decideAsync(withPictures(...names));
    unsubscribe('sluice:scorer:call', listener);
    // The second `v` is in the cache.
    expect(heard).toMatchObject([
      { outcome: 'scored' },
      { outcome: 'failed', why: 'the scorer failed' },
      { outcome: 'unknown' },
    ]);
    expect(JSON.stringify(heard)).not.toContain('media.example');
  });
});

describe('scores of texts', () => {
  const toxic: typeof rule = {
    id: 'toxic',
    action: ['blockMessage'],
    conditions: [{ operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_70'] }],
  };
  const textScorer = () => {
    const called: (string | undefined)[] = [];
    const score: Scorer['score'] = async ({ text }) => {
      called.push(text);
      return { toxicity: text?.includes('fool') ? 90 : 1 };
    };
    return { scorer: { score }, called };
  };

  it('decide, and are asked for once: what words drop, and what was scored, costs no call', async () => {
    const { scorer: given, called } = textScorer();
    const { source } = platform({ rules: [{ ...rule, action: ['dropMessage'] }, toxic], lists: lists('darn') });
    const moderator = await moderatorOf({ source, scorer: given });
    expect(await moderator.decideAsync('you fool')).toBe('blockMessage');
    expect(await moderator.decideAsync({ id: '2', data: { text: 'you fool' } })).toBe('blockMessage');
    expect(await moderator.decideAsync('you darn fool')).toBe('dropMessage');
    expect(called).toEqual(['you fool']);
    const decision = await moderator.explainAsync('you darn fool');
    expect(decision.matched.map(({ ruleId }) => ruleId)).toEqual([rule.id, 'toxic']);
    expect(called).toEqual(['you fool', 'you darn fool']);
  });

  it('of a scorer that fails are unevaluated, also where missing scores block', async () => {
    const score = () => Promise.reject(new Error('you fool'));
    const { source } = platform({ rules: [toxic], lists: {} });
    const moderator = await moderatorOf({ source, scorer: { score }, semantics: { missingScores: 'block' } });
    expect(await moderator.decideAsync('you fool')).toBe('allow');
    const { unevaluated } = await moderator.explainAsync('you fool');
    expect(unevaluated).toMatchObject([
      { why: 'no-scores', detail: 'the text could not be scored: the scorer failed' },
    ]);
  });

  it('are asked for anew where other rules came into use meanwhile', async () => {
    const { state, source } = platform({ rules: [toxic], lists: lists('darn') });
    const labelsAsked: (readonly string[])[] = [];
    const score: Scorer['score'] = async ({ labels }) => {
      labelsAsked.push(labels);
      if (labelsAsked.length === 1) {
        state.rules = [{ ...toxic, conditions: [{ ...toxic.conditions[0]!, value: ['insult_greaterThan_1'] }] }];
        await moderator.refresh();
      }
      return Object.fromEntries(labels.map((label) => [label, label === 'insult' ? 90 : 1]));
    };
    const moderator = await moderatorOf({ source, guard: 'off', scorer: { score } });
    expect(await moderator.decideAsync('you fool')).toBe('blockMessage');
    expect(labelsAsked).toEqual([['toxicity'], ['insult']]);
  });
});
