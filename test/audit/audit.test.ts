import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { audit } from '../../src/audit/stream.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Scores } from '../../src/engine/evaluate/scores.js';
import { UsageError } from '../../src/foundation/errors.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';

const condition = { id: 1, operand: 'text', category: 'word', operator: 'contains', value: ['heck'] };
const image = { id: 1, operand: 'image', isMediaPresent: true, operator: 'contains', value: ['gore_greaterThan_50'] };
const engine = createEngine({
  rules: [
    { id: 'words', conditions: [condition], action: ['blockMessage'] },
    { id: 'pictures', conditions: [image], action: ['dropMessage'] },
  ],
  lists: [],
});
const draft = (id: string, text: string): MessageDraft => ({ id, category: 'message', type: 'text', data: { text } });

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('audit', () => {
  it('evaluates texts, drafts and messages in their order', async () => {
    const messages = [draft('1', 'fine'), 'oh heck', draft('3', 'what the heck')];
    const entries = await collect(audit(messages, engine));
    expect(entries.map(({ messageId }) => messageId)).toEqual(['1', undefined, '3']);
    expect(entries.map(({ message }) => message)).toEqual(messages);
    expect(entries.map(({ decision }) => decision)).toEqual(messages.map((message) => engine.explain(message)));
    expect(entries.map(({ decision }) => decision.verdict)).toEqual(['allow', 'blockMessage', 'blockMessage']);
  });

  it('media: accepts scores and promises of scores', async () => {
    const picture = { id: '1', type: 'image', data: {} };
    const scores: Scores[] = [{ operand: 'image', labels: { gore: 80 } }];
    const verdicts = async (media: (message: MessageDraft) => readonly Scores[] | Promise<readonly Scores[]>) =>
      (await collect(audit([picture], engine, { scores: media }))).map(({ decision }) => decision.verdict);
    expect(await verdicts(() => scores)).toEqual(['dropMessage']);
    expect(await verdicts(async () => scores)).toEqual(['dropMessage']);
    expect(await verdicts(() => [])).toEqual(['allow']);
  });

  it('reads one message at a time', async () => {
    let given = 0;
    async function* endless() {
      while (true) yield draft(String(++given), 'x');
    }
    const entries: AuditEntry[] = [];
    for await (const entry of audit(endless(), engine)) {
      entries.push(entry);
      expect(given).toBe(entries.length);
      if (entries.length === 50) break;
    }
    expect(given).toBe(50);
  });

  it('closes the source when the caller stops early, and on an error', async () => {
    for (const how of ['break', 'error', 'abort'] as const) {
      let closed = false;
      const controller = new AbortController();
      async function* source() {
        try {
          yield draft('1', 'x');
          yield how === 'error' ? (7 as unknown as MessageDraft) : draft('2', 'x');
          yield draft('3', 'x');
        } finally {
          closed = true;
        }
      }
      const run = async () => {
        for await (const { messageId } of audit(source(), engine, { signal: controller.signal })) {
          if (how === 'break' && messageId === '2') break;
          if (how === 'abort' && messageId === '2') controller.abort(new Error('enough'));
        }
      };
      if (how === 'break') await run();
      else await expect(run()).rejects.toThrow(how === 'error' ? UsageError : 'enough');
      expect(closed).toBe(true);
    }
  });

  it('signal: rejects with its reason before, between and while waiting for messages', async () => {
    const reason = new Error('stop');
    await expect(collect(audit(['x'], engine, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    await expect(collect(audit([], engine, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);

    const between = new AbortController();
    const seen: string[] = [];
    const run = async () => {
      for await (const { message } of audit(['a', 'b', 'c'], engine, { signal: between.signal })) {
        seen.push(message);
        if (message === 'b') between.abort(reason);
      }
    };
    await expect(run()).rejects.toBe(reason);
    expect(seen).toEqual(['a', 'b']);

    const silent = new AbortController();
    async function* forever() {
      yield 'a';
      await new Promise(() => undefined);
    }
    const waiting = collect(audit(forever(), engine, { signal: silent.signal }));
    setImmediate(() => silent.abort(reason));
    await expect(waiting).rejects.toBe(reason);
  });

  it('rejects with errors of the source and of `scores`', async () => {
    async function* broken() {
      yield 'a';
      throw new Error('the wire broke');
    }
    await expect(collect(audit(broken(), engine))).rejects.toThrow('the wire broke');
    await expect(collect(audit(broken(), engine, { signal: new AbortController().signal }))).rejects.toThrow('broke');
    const media = () => Promise.reject(new Error('no scorer'));
    await expect(collect(audit(['a'], engine, { scores: media }))).rejects.toThrow('no scorer');
  });

  it('yields to timers with a source that never waits', async () => {
    let isHeard = false;
    setTimeout(() => {
      isHeard = true;
    }, 20);
    // The source has no end: a loop that were never let go of would not come to one either.
    for await (const _ of audit(endlessTexts(), engine)) if (isHeard) break;
  });

  it('signal: no listener remains', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    async function* source() {
      yield 'a';
      yield 'b';
    }
    await collect(audit(source(), engine, { signal }));
    for await (const _ of audit(source(), engine, { signal })) break;
    expect(listeners).toBe(0);
  });
});

function* endlessTexts() {
  while (true) yield 'what the heck';
}
