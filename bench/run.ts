import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { serveMessages } from './contenders/audit.js';
import { hyperscan } from './contenders/hyperscan.js';
import { npmFilters } from './contenders/npm-filters.js';
import type { Definition } from './definition.js';
import { collectGarbage } from './heap.js';
import {
  type Contender,
  type ContenderResult,
  type Effort,
  fullEffort,
  type MeasurementResult,
  measure,
  quickEffort,
} from './measure.js';
import { models } from './models.js';
import { createWorkload, type Mode } from './workload.js';

/** The contenders of a definition, those with packages of their own included. */
export function contendersOf({ model, ask, ruleSet, only }: Definition): Contender[] {
  const own = models[model].contenders(ask);
  // An npm filter reports whether there is a hit: under rules of two strengths its count would be
  // another.
  const oneStrength = model === 'decide' && ruleSet.patterns === 0 && ruleSet.rules < 5;
  const filters = (model === 'words' && ask === 'first') || oneStrength ? npmFilters : [];
  const isOfEngine = ['explain', 'audit', 'judge', 'rows', 'hardened', 'http'].includes(model);
  const other = isOfEngine ? [] : [hyperscan(model, ask)];
  const all = [...own.slice(0, 1), ...other, ...own.slice(1, -1), ...filters, ...own.slice(-1)];
  return only === undefined ? all : all.filter(({ name }) => only.includes(name));
}

/**
 * Measures a definition in this process; one of `audit` only where `serveMessages` set the
 * environment.
 */
export function runDefinition(
  definition: Definition,
  mode: Mode,
  effort: Effort = mode === 'quick' ? quickEffort : fullEffort,
): Promise<MeasurementResult> {
  const { name, why, model, expected, rounds = effort.rounds } = definition;
  const workload = createWorkload(definition, mode);
  return measure(
    { name, why, model: models[model], workload, contenders: contendersOf(definition), expected: expected[mode] },
    { ...effort, rounds: Math.min(rounds, effort.rounds) },
  );
}

/**
 * Measures a definition in a process of its own, with `peaks` also the peak memory of every
 * contender. This process serves the messages of `audit`, so that the service has a core of its
 * own.
 */
export async function runInChild(definition: Definition, mode: Mode, peaks: boolean): Promise<MeasurementResult> {
  const isAudit = definition.model === 'audit';
  const service = isAudit ? await serveMessages(createWorkload(definition, mode).texts) : undefined;
  try {
    const result = JSON.parse(await childOutput('one', definition, mode, service?.env)) as MeasurementResult;
    if (!peaks) return result;
    // Messages that this process serves do not count as memory of the contender that fetches them.
    const alone = isAudit ? { ...definition, corpus: { ...definition.corpus, messages: 1 } } : definition;
    const contenders: ContenderResult[] = [];
    for (const contender of result.contenders) {
      const isMeasured = contender.status === 'measured';
      const peak = isMeasured ? await childOutput('peak', alone, contender.name, service?.env) : undefined;
      contenders.push(peak === undefined ? contender : { ...contender, peakBytes: Number(peak) });
    }
    return { ...result, contenders };
  } finally {
    await service?.close();
  }
}

/** Standard output of `bench/main.ts` with an internal verb; standard error is passed on. */
async function childOutput(verb: 'one' | 'peak', definition: Definition, argument: string, env = {}): Promise<string> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', program, verb, JSON.stringify(definition), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk;
  const [code] = await ended;
  if (code !== 0) throw new Error(`${definition.name} ended with code ${code}`);
  return text;
}

/**
 * Peak memory of one contender in this process over one pass, in bytes over what the messages take.
 */
export async function peakOf(definition: Definition, name: string): Promise<number> {
  const contender = contendersOf(definition).find((candidate) => candidate.name === name);
  const workload = createWorkload(definition, 'full');
  const watch = await watchPeak();
  const runner = await contender?.prepare(workload);
  if (runner === undefined || typeof runner === 'string') throw new Error(`${name} is missing`);
  await runner.pass(1);
  const inside = await watch.stop();
  const peak = (await runner.peakBytes?.()) ?? inside;
  await runner.close?.();
  return peak;
}

const sampler = `
  const { workerData } = require('node:worker_threads');
  const shared = new Float64Array(workerData);
  setInterval(() => {
    shared[0] = Math.max(shared[0], process.memoryUsage.rss());
    shared[1] += 1;
  }, 1);
`;

/**
 * Samples resident memory every millisecond from a thread of its own; shorter peaks are missed. The
 * high-water mark of the system would not do: it includes what prepared the messages, and hides
 * what comes after. `samples` is the number of samples taken so far; `stop` ends the thread, and
 * resolves with the peak in bytes over the start.
 */
export async function watchPeak() {
  const buffer = new SharedArrayBuffer(16);
  const shared = new Float64Array(buffer);
  const thread = new Worker(sampler, { eval: true, workerData: buffer });
  await once(thread, 'online');
  for (let time = 0; time < 3; time++) collectGarbage();
  const before = process.memoryUsage.rss();
  shared[0] = before;
  const stop = async (): Promise<number> => {
    const peak = Math.max(shared[0]!, process.memoryUsage.rss());
    await thread.terminate();
    return Math.max(0, peak - before);
  };
  return { samples: () => shared[1]!, stop };
}
