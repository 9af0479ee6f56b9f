import { allocatedPerItem, bytesInUse } from './heap.js';
import { type Contender, type Material, type Model, ours, type Runner } from './model.js';
import type { ContenderResult, MeasurementResult } from './record.js';
import { percentilesOf, ratioOf, spreadOf } from './statistics.js';

/** How thoroughly to measure. */
export interface Effort {
  /** Rounds in each of which every contender has its turn. */
  readonly rounds: number;
  /** Least duration of a turn in milliseconds: as many passes as it takes, at least one. */
  readonly turnMs: number;
  /** Warm-up of a contender before the first round, in milliseconds; at least one pass. */
  readonly warmUpMs: number;
  /** Rounds of timing messages one by one. */
  readonly eachRounds: number;
}

export const fullEffort: Effort = { rounds: 11, turnMs: 50, warmUpMs: 300, eachRounds: 7 };
export const quickEffort: Effort = { rounds: 2, turnMs: 4, warmUpMs: 10, eachRounds: 1 };

/** The right counts: of the model's question, and of contenders that answer another one. */
export interface Expected {
  readonly count: number;
  readonly own?: Readonly<Record<string, number>>;
}

/** What to measure. */
export interface Assignment {
  readonly name: string;
  readonly why: string;
  readonly model: Model;
  readonly material: Material;
  readonly contenders: readonly Contender[];
  /** Absent for a user's own data: then the first contender that is not ours says what is right. */
  readonly expected?: Expected | undefined;
}

interface Entry {
  readonly contender: Contender;
  readonly runner: Runner;
  readonly heldBytes: number;
  readonly count: number;
  readonly expected: number;
  times: number;
  readonly rounds: number[];
}

/**
 * Measures all contenders of an assignment, interleaved. Counts come first: a contender that counts wrong is discarded
 * and never timed. `tell` hears what is going on.
 */
export async function measure(
  assignment: Assignment,
  effort: Effort,
  tell: (words: string) => void = () => undefined,
): Promise<MeasurementResult> {
  const { contenders, material, model } = assignment;
  const discarded = new Map<string, ContenderResult>();
  const prepared: { contender: Contender; runner: Runner; heldBytes: number; count: number }[] = [];
  for (const contender of contenders) {
    tell(`${assignment.name}: ${contender.name} counts`);
    const ready = await getReady(contender, material);
    if ('status' in ready) discarded.set(contender.name, ready);
    else prepared.push({ contender, ...ready });
  }
  const right = assignment.expected ?? judge(prepared);
  const entries: Entry[] = [];
  for (const candidate of prepared) {
    const expected = right.own?.[candidate.contender.name] ?? right.count;
    const isFloor = candidate.contender.name.startsWith('floor');
    if (isFloor || candidate.count === expected) entries.push({ ...candidate, expected, times: 1, rounds: [] });
    else {
      discarded.set(candidate.contender.name, wrongCount(candidate.contender, candidate.count, expected));
      await candidate.runner.close?.();
    }
  }
  const warmUpPasses = await takeRounds(entries, effort, model.unit === 'message' ? material.texts.length : 1, tell);
  const results = new Map<string, ContenderResult>(discarded);
  const reference = entries.find(({ contender }) => contender.name === ours)?.rounds;
  for (const entry of entries) {
    tell(`${assignment.name}: ${entry.contender.name} message by message`);
    results.set(entry.contender.name, await conclude(entry, model, material, effort, reference));
    await entry.runner.close?.();
  }
  return {
    ...describe(assignment, right.count),
    warmUpPasses,
    contenders: contenders.map(({ name }) => results.get(name)!),
  };
}

async function getReady(contender: Contender, material: Material) {
  const { name, note } = contender;
  const about = { name, ...(note !== undefined && { note }) };
  try {
    const before = bytesInUse();
    const runner = await contender.prepare(material);
    if (typeof runner === 'string') return { ...about, status: 'missing', detail: runner } as const;
    const heldBytes = runner.heldBytes ?? Math.max(0, bytesInUse() - before);
    const { count } = await runner.pass(0);
    return { runner, heldBytes, count };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ...about, status: 'failed', detail } as const;
  }
}

/** Without counts from outside, the first contender decides that is neither ours nor a floor. */
function judge(prepared: readonly { contender: Contender; count: number }[]): Expected {
  const plain = prepared.filter(({ contender: { name } }) => !name.startsWith(ours) && !name.startsWith('floor'));
  return { count: (plain[0] ?? prepared[0])?.count ?? 0 };
}

function wrongCount({ name, note }: Contender, count: number, expected: number): ContenderResult {
  const detail = `counted ${count} where ${expected} is right; not measured`;
  return { name, ...(note !== undefined && { note }), status: 'wrong-count', detail, count, expected };
}

/** Warms up, then gives every contender its turn in each round, the order turning so that nobody always follows the same. */
async function takeRounds(entries: readonly Entry[], effort: Effort, items: number, tell: (words: string) => void) {
  let warmUpPasses = 0;
  for (const entry of entries) {
    let spent = 0;
    let passes = 0;
    let last = 0;
    while (passes === 0 || (spent < effort.warmUpMs && passes < 10_000)) {
      last = (await entry.runner.pass(1)).ns;
      spent += last / 1e6;
      passes += 1;
    }
    warmUpPasses = passes > warmUpPasses ? passes : warmUpPasses;
    entry.times = Math.max(1, Math.min(10_000, Math.round((effort.turnMs * 1e6) / Math.max(1, last))));
  }
  for (let round = 0; round < effort.rounds; round++) {
    tell(`round ${round + 1} of ${effort.rounds}`);
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(turn + round) % entries.length]!;
      const { ns, count } = await entry.runner.pass(entry.times);
      if (count !== entry.count) throw new Error(`${entry.contender.name} counted ${count} after ${entry.count}`);
      entry.rounds.push(ns / items);
    }
  }
  return warmUpPasses;
}

async function conclude(
  { contender: { name, note }, runner, heldBytes, count, expected, rounds }: Entry,
  { unit }: Model,
  { texts }: Material,
  { eachRounds }: Effort,
  reference: readonly number[] | undefined,
): Promise<ContenderResult> {
  const ns = spreadOf(rounds);
  const each: Float64Array[] = [];
  for (let round = 0; runner.each !== undefined && round < eachRounds; round++) each.push(await runner.each());
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const isMessage = unit === 'message';
  return {
    name,
    ...(note !== undefined && { note }),
    status: 'measured',
    count,
    expected: name.startsWith('floor') ? count : expected,
    ns,
    rounds,
    ...(each.length > 0 && { perMessage: percentilesOf(each) }),
    ...(isMessage && { perSecond: 1e9 / ns.median, megabytesPerSecond: (bytes / texts.length / ns.median) * 1e3 }),
    ...(isMessage && runner.some !== undefined && { allocatedBytes: allocatedPerItem(runner.some, texts.length) }),
    heldBytes,
    ...(reference !== undefined && { ratio: ratioOf(rounds, reference) }),
  };
}

function describe({ name, why, model, material }: Assignment, count: number) {
  const { texts, terms, patterns, ruleSet, ask } = material;
  const byMessage =
    ask === 'first' && model.unit === 'message' && (model.name === 'words' || model.name === 'patterns');
  return {
    name,
    model: model.name,
    ask,
    why,
    question: model.question,
    unit: model.unit,
    messages: texts.length,
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    units: texts.reduce((sum, text) => sum + text.length, 0),
    terms: terms.length,
    patterns: patterns.length,
    rules: ruleSet.rules.length,
    ...(byMessage && { hitShare: count / texts.length }),
  };
}
