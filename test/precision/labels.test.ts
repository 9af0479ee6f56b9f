import { describe, expect, it } from 'vitest';
import { type Label, type LabelOutcome, outcomesByMessage } from '../../src/audit/sample/label.js';
import { parseLabels } from '../../src/audit/sample/labels.js';

const label = (messageId: string, ruleId: string | undefined, outcome: LabelOutcome): Label => ({
  messageId,
  ruleId,
  outcome,
});
const ndjson = (rows: readonly Label[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('labels', () => {
  it('are rows or an array, with a place in errors', async () => {
    const reviewed = { ...label('2', 'a', 'wrong'), source: 'reviewed', ruleRevision: 'a_2' };
    const rows = [label('1', 'a', 'right'), label('1', undefined, 'unsure'), reviewed];
    for (const text of [ndjson(rows), JSON.stringify(rows), `\n${ndjson(rows).trimEnd()}`])
      expect(await parseLabels(text, 'x')).toEqual(rows);
    expect(await parseLabels('{"messageId":"1","ruleId":null,"outcome":"right","by":"ada"}', 'x')).toEqual([
      { messageId: '1', outcome: 'right' },
    ]);
    await expect(parseLabels('{"messageId":"1","outcome":"good"}', 'x')).rejects.toThrow('x:1');
    await expect(parseLabels('{"messageId":"1","outcome":right}', 'x')).rejects.toThrow('x:1');
    await expect(parseLabels('[{"messageId":1,"outcome":"right"}]', 'x')).rejects.toThrow('x[0]');
  });

  it('say of whole messages what is known: by their own label, or else by those of rules; the last sure one counts', () => {
    const labels = [
      ...[label('1', 'a', 'wrong'), label('1', 'b', 'right'), label('2', 'a', 'wrong'), label('2', 'b', 'unsure')],
      ...[label('3', 'a', 'right'), label('3', undefined, 'wrong'), label('4', undefined, 'unsure')],
      ...[label('5', 'a', 'right'), label('5', 'a', 'wrong')],
      ...[label('6', 'a', 'right'), label('6', undefined, 'unsure')],
      ...[label('7', undefined, 'right'), label('7', undefined, 'unsure')],
    ];
    expect([...outcomesByMessage(labels)]).toEqual([
      ['1', 'right'],
      ['2', 'wrong'],
      ['3', 'wrong'],
      ['5', 'wrong'],
      ['6', 'right'],
      ['7', 'right'],
    ]);
    const unknown = [label('1', 'a', 'good' as LabelOutcome)];
    expect(() => outcomesByMessage(unknown)).toThrow('labels[0]: `outcome` must be one of right, wrong, unsure');
  });

  it('of reviewers count where there is no label of a sample about the same', () => {
    const reviewed = (messageId: string) => ({ ...label(messageId, 'a', 'wrong'), source: 'reviewed' });
    expect([...outcomesByMessage([label('1', 'a', 'right'), reviewed('1'), reviewed('2')])]).toEqual([
      ['1', 'right'],
      ['2', 'wrong'],
    ]);
  });
});
