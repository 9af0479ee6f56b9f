import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definitionsOf, readCurves, readDefinitions } from '../../bench/definition.js';
import { models } from '../../bench/models.js';
import { naiveCount } from '../../bench/naive-counts.js';
import { failuresOf } from '../../bench/rules/machine.js';
import { contendersOf, runDefinition } from '../../bench/run.js';
import { createWorkload } from '../../bench/workload.js';

const definitions = readDefinitions();
const curves = readCurves();

describe('benchmark definitions', () => {
  it('have unique names and reasons, and cover every model', () => {
    const names = [...definitions, ...curves.flatMap(definitionsOf)].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(definitions.map(({ model }) => model))).toEqual(new Set(Object.keys(models)));
    for (const { why } of [...definitions, ...curves]) expect(why.length).toBeGreaterThan(20);
  });

  it('name contenders that exist', () => {
    for (const definition of [...definitions, ...curves.flatMap(definitionsOf)]) {
      const names = contendersOf(definition).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...(definition.only ?? ['sluice'])]));
    }
  });

  it('have curves with these ends', () => {
    const ends = (name: string) => curves.find((curve) => curve.name === name)!.points.map(({ at }) => at);
    expect([ends('terms')[0], ends('terms').at(-1)]).toEqual([100, 100_000]);
    expect([ends('patterns')[0], ends('patterns').at(-1)]).toEqual([1, 500]);
    expect([ends('text')[0], ends('text').at(-1)]).toEqual([20, 64_000]);
    expect([ends('hits')[0], ends('hits').at(-1)]).toEqual([0, 1000]);
    expect([ends('rules')[0], ends('rules').at(-1)]).toEqual([1, 250]);
    expect([ends('audit')[0], ends('audit').at(-1)]).toEqual([10_000, 1_000_000]);
  });

  it('have the naive counts', () => {
    for (const name of ['words-403-all', 'patterns-24-which', 'decide-403-words', 'clean-2610-words-24-patterns']) {
      const definition = definitions.find((candidate) => candidate.name === name)!;
      const workload = createWorkload(definition, 'quick');
      expect([name, naiveCount(definition.model, workload)]).toEqual([name, definition.expected.quick]);
    }
  });

  it('run, and fail on a wrong count', async () => {
    const effort = { rounds: 2, turnMs: 0.1, warmUpMs: 0, latencyRounds: 1 };
    const definition = {
      ...definitions.find(({ name }) => name === 'words-403-first')!,
      only: ['sluice', 'one RegExp'],
    };
    expect(failuresOf([await runDefinition(definition, 'quick', effort)])).toEqual([]);
    const { quick, full } = definition.expected;
    const wrong = { ...definition, expected: { quick: quick + 1, full } };
    expect(failuresOf([await runDefinition(wrong, 'quick', effort)])).toHaveLength(2);
  });

  it('are rejected with file and field when malformed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-definitions-'));
    try {
      const [first] = definitions;
      writeFileSync(
        join(folder, 'odd.json'),
        JSON.stringify([{ ...first, corpus: { ...first!.corpus, messages: 0 } }]),
      );
      expect(() => readDefinitions(folder)).toThrow(/odd\.json.*corpus\.messages/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
