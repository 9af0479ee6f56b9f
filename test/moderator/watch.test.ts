/** What can be watched: channels, events of a moderator, the decision log. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createDecisionLog,
  type DecisionEvent,
  type DecisionLog,
  type RefreshEvent,
  UsageError,
} from '../../src/index.js';
import { platform, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const message = { id: '7', conversationId: 'c', sender: 'ann', data: { text: 'oh darn, secretly' } };

describe('channels', () => {
  const channels = ['sluice:moderator:decision', 'sluice:moderator:refresh'] as const;
  const heard: unknown[] = [];
  const listener = (event: unknown) => heard.push(event);
  afterEach(() => {
    for (const name of channels) unsubscribe(name, listener);
    heard.length = 0;
  });

  it('decision: ids, rules, spans, revision and age, by `decide` and by `explain`; no text and no term', async () => {
    const moderator = await moderatorOf({ source: platform().source });
    subscribe(channels[0], listener);
    expect(moderator.decide(message)).toBe('blockMessage');
    expect(moderator.explain('fine').verdict).toBe('allow');
    expect(heard).toEqual([
      {
        at: expect.any(Number),
        messageId: '7',
        conversationId: 'c',
        sender: 'ann',
        verdict: 'blockMessage',
        actions: ['blockMessage'],
        exempt: false,
        truncated: false,
        matched: [
          {
            ruleId: 'r',
            determining: true,
            shadow: false,
            conditions: [
              { conditionId: 1, matches: [{ path: 'data.text', span: { start: 3, end: 7 }, listId: 'swears' }] },
            ],
          },
        ],
        unevaluated: [],
        revision: moderator.revision,
        ageMs: expect.any(Number),
        durationMs: expect.any(Number),
      },
      expect.objectContaining({ verdict: 'allow', matched: [] }),
    ]);
    expect(JSON.stringify(heard)).not.toMatch(/darn|secretly|fine/);
  });

  it('refresh: the same events as `on`, for refreshes that changed, did not, were held back, or failed', async () => {
    const { state, source } = platform();
    const moderator = await moderatorOf({ source });
    subscribe(channels[1], listener);
    const events: RefreshEvent[] = [];
    const onRefresh = (event: RefreshEvent) => events.push(event);
    moderator.on('refresh', onRefresh);
    await moderator.refresh();
    state.lists = { swears: { id: 'swears', searchTerms: ['darn', 'heck'] } };
    await moderator.refresh();
    state.rules = [];
    await moderator.refresh();
    state.down = true;
    await moderator.refresh().catch(() => {});
    await vi.waitFor(() => expect(events).toHaveLength(4));
    expect(events).toEqual(heard);
    expect(events.map(({ outcome }) => outcome)).toEqual(['unchanged', 'changed', 'held', 'failed']);
    expect(events[2]).toMatchObject({ held: { loss: { rules: ['r'] } }, error: { code: 'held' } });
    expect(events[3]).toMatchObject({ error: { code: 'network' }, revision: moderator.revision });
    moderator.off('refresh', onRefresh);
    await moderator.refresh().catch(() => {});
    expect(heard).toHaveLength(5);
    expect(events).toHaveLength(4);
  });
});

describe('createDecisionLog', () => {
  const logs: DecisionLog[] = [];
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
  });
  const logOf = (options: Partial<Parameters<typeof createDecisionLog>[0]> = {}) => {
    const log = createDecisionLog({ file: join(place.folder, 'decisions.ndjson'), ...options });
    logs.push(log);
    return log;
  };
  const rows = (): Partial<DecisionEvent & { dropped: number }>[] =>
    readFileSync(join(place.folder, 'decisions.ndjson'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));

  it('appends a row for each decision that is not plainly allow, readable by its owner alone', async () => {
    const moderator = await moderatorOf({ source: platform().source });
    const log = logOf();
    moderator.decide(message);
    moderator.decide('fine');
    moderator.decide({ data: {} });
    await log.close();
    expect(rows()).toMatchObject([
      { messageId: '7', verdict: 'blockMessage' },
      { verdict: 'allow', unevaluated: [{ why: 'not-answerable' }] },
    ]);
    expect(log).toMatchObject({ written: 2, dropped: 0 });
    expect(statSync(join(place.folder, 'decisions.ndjson')).mode & 0o777).toBe(0o600);
    moderator.decide(message);
    expect(log.written).toBe(2);
  });

  it('all: logs every decision, after the rows that are there', async () => {
    const moderator = await moderatorOf({ source: platform().source });
    for (const _ of [1, 2]) {
      const log = logOf({ all: true });
      moderator.decide('fine');
      await log.close();
    }
    expect(rows()).toHaveLength(2);
  });

  it('drops what the queue has no room for, counts it, and says so once there is room', async () => {
    const moderator = await moderatorOf({ source: platform().source });
    const log = logOf({ maxQueuedBytes: 1_024 });
    // The file is not written to before this turn of the event loop ends.
    for (let index = 0; index < 50; index++) moderator.decide(message);
    const { dropped } = log;
    expect(dropped).toBeGreaterThan(40);
    await vi.waitFor(() => expect(log.written).toBe(50 - dropped));
    moderator.decide(message);
    await log.close();
    expect(rows().filter((row) => row.dropped !== undefined)).toEqual([{ at: expect.any(Number), dropped }]);
    expect(log.written + log.dropped).toBe(51);
  });

  it('says at its end what it dropped', async () => {
    const moderator = await moderatorOf({ source: platform().source });
    const log = logOf({ maxQueuedBytes: 1_024 });
    for (let index = 0; index < 50; index++) moderator.decide(message);
    await log.close();
    expect(log.dropped).toBeGreaterThan(40);
    expect(rows().at(-1)).toEqual({ at: expect.any(Number), dropped: log.dropped });
  });

  it('a file that cannot be written: decisions go on, rows are counted, and later ones are written when it can', async () => {
    const moderator = await moderatorOf({ source: platform().source });
    const file = join(place.folder, 'decisions.ndjson');
    mkdirSync(file);
    const log = logOf();
    expect(moderator.decide(message)).toBe('blockMessage');
    await vi.waitFor(() => expect(log.lastError).toBe('it is a directory'));
    expect(log).toMatchObject({ written: 0, dropped: 1 });
    rmdirSync(file);
    // The file is opened again a second after the failure at the earliest.
    await vi.waitFor(
      () => {
        moderator.decide(message);
        expect(existsSync(file)).toBe(true);
      },
      { timeout: 60_000, interval: 100 },
    );
    await log.close();
    expect(rows()[0]).toMatchObject({ dropped: expect.any(Number) });
    expect(log.lastError).toBeUndefined();
  });

  it.each([[{ file: '' }], [{ file: 'a\0b' }], [{ file: 'x', maxQueuedBytes: 5 }], [{ file: 'x', al: true }], [null]])(
    '%j is refused',
    (options) => {
      expect(() => createDecisionLog(options as never)).toThrow(UsageError);
    },
  );
});
