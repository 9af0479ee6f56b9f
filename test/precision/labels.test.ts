import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Label, type LabelOutcome, Labels } from '../../src/audit/sample/label.js';
import { labelsFileOf, openLabels, parseLabels } from '../../src/audit/sample/labels.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-labels-'));
});
afterAll(() => rm(directory, { recursive: true }));

const label = (messageId: string, ruleId: string | undefined, outcome: LabelOutcome): Label => ({
  messageId,
  ruleId,
  outcome,
});
describe('labels', () => {
  it('are rows or an array, of which the last one for a message and a rule counts', async () => {
    const rows = [label('1', 'a', 'right'), label('1', undefined, 'unsure'), label('1', 'a', 'wrong')];
    const lines = rows.map((one) => `${JSON.stringify(one)}\n`).join('');
    for (const text of [lines, JSON.stringify(rows), `\n${lines.trimEnd()}`]) {
      const labels = new Labels(await parseLabels(text, 'x'));
      expect([labels.of('1', 'a'), labels.of('1', undefined), labels.of('1', 'b')].map((one) => one?.outcome)).toEqual([
        'wrong',
        'unsure',
        undefined,
      ]);
    }
    expect(await parseLabels('{"messageId":"1","ruleId":null,"outcome":"right","by":null,"more":1}', 'x')).toEqual([
      { messageId: '1', outcome: 'right' },
    ]);
    await expect(parseLabels('{"messageId":"1","outcome":"good"}', 'x')).rejects.toThrow('x:1');
    await expect(parseLabels('{"messageId":"1","outcome":right}', 'x')).rejects.toThrow('x:1');
    await expect(parseLabels('[{"messageId":1,"outcome":"right"}]', 'x')).rejects.toThrow('x[0]');
  });

  it('with a source stand apart from those of a sample', async () => {
    const reviewed = { ...label('1', 'a', 'wrong'), source: 'reviewed', ruleRevision: 'a_2' };
    const rows = [label('1', 'a', 'right'), reviewed, { ...label('2', 'a', 'wrong'), source: 'reviewed' }];
    const parsed = await parseLabels(rows.map((one) => `${JSON.stringify(one)}\n`).join(''), 'x');
    expect(parsed).toEqual(rows);
    const labels = new Labels(parsed);
    expect(labels.all()).toHaveLength(3);
    expect(['1', '2'].map((id) => labels.of(id, 'a')?.outcome)).toEqual(['right', undefined]);
    expect([...labels.byMessage()]).toEqual([
      ['1', 'right'],
      ['2', 'wrong'],
    ]);
  });

  it('say of whole messages what is known', () => {
    const labels = new Labels([
      ...[label('1', 'a', 'wrong'), label('1', 'b', 'right'), label('2', 'a', 'wrong'), label('2', 'b', 'unsure')],
      ...[
        label('3', 'a', 'right'),
        label('3', undefined, 'wrong'),
        label('4', undefined, 'unsure'),
        label('5', 'a', 'wrong'),
      ],
    ]);
    expect([...labels.byMessage()]).toEqual([
      ['1', 'right'],
      ['3', 'wrong'],
      ['5', 'wrong'],
    ]);
  });
});

describe('a file of labels', () => {
  it('goes on wherever a writer was killed: at each byte', async () => {
    const path = join(directory, 'killed.labels.ndjson');
    const rows = [label('1', 'ä', 'right'), label('é', undefined, 'wrong'), label('}', '{', 'unsure')];
    const lines = rows.map((one) => `${JSON.stringify(one)}\n`);
    const bytes = Buffer.from(lines.join(''));
    for (let length = 0; length <= bytes.length; length++) {
      await writeFile(path, bytes.subarray(0, length));
      // A row is there once its last brace is.
      const whole = rows.filter((_, at) => Buffer.from(lines.slice(0, at + 1).join('')).length - 1 <= length);
      const file = await openLabels(path);
      expect([...file.labels.all()]).toEqual(whole);
      await file.add([label('9', 'r', 'right')]);
      await file.add([label('9', 'r', 'wrong')]);
      await file.close();
      const text = await readFile(path, 'utf8');
      expect(
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      ).toEqual(JSON.parse(JSON.stringify([...whole, label('9', 'r', 'right'), label('9', 'r', 'wrong')])));
    }
  });

  it('is new and its owner’s alone, and what is not a label is refused and stays', async () => {
    const path = labelsFileOf(join(directory, 'new.ndjson'));
    expect(path).toBe(join(directory, 'new.labels.ndjson'));
    await (await openLabels(path)).close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const text of ['{"messageId":"1","outcome":right}', 'something else', '{"messageId":"1"}\n']) {
      await writeFile(path, text);
      await expect(openLabels(path)).rejects.toThrow(`${path}:1`);
      expect(await readFile(path, 'utf8')).toBe(text);
    }
    await expect(openLabels(directory)).rejects.toThrow('it is a directory');
  });

  it.each([
    ['an array', '[{"messageId":"1","outcome":"right"}]\n', 'is an array'],
    ['an array that does not end', '[{"messageId":"1","outcome":"right"},\n{"messageId":"2"', 'is an array'],
    ['a line that does not end, of something else', '{"name":"a rule', 'must be a label'],
    ['a row of decisions that does not end', '{"messageId":"1","conversationId":"c","decis', 'must be a label'],
    ['messages with one that does not end', '{"id":"1","data":{}}\n{"id":"2","da', '.ndjson:1'],
  ])('is refused and stays as it is where it is %s', async (_, text, reason) => {
    const path = join(directory, 'other.ndjson');
    await writeFile(path, text);
    await expect(openLabels(path)).rejects.toThrow(reason);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
