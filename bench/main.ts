/**
 * The benchmark harness, `npm run bench -- …`; `--help` says what it takes. Every definition runs in a process of its own, so that nobody inherits another's heap or compiled code.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareRecords } from '../src/bench/compare-records.js';
import { watchPeak } from '../src/bench/heap.js';
import { currentCommit, describeMachine } from '../src/bench/machine.js';
import { fullEffort, quickEffort } from '../src/bench/measure.js';
import { escapedCount } from '../src/bench/pass.js';
import { type BenchRecord, type Curve, failuresOf, type MeasurementResult } from '../src/bench/record.js';
import { benchScreen } from '../src/cli/bench-screen.js';
import { painter, wantsColour } from '../src/cli/terminal/style.js';
import { changeLines } from './change-lines.js';
import { type CurveDefinition, type Definition, definitionsOf, readCurves, readDefinitions } from './definition.js';
import { plotCurves } from './plot-curves.js';
import { type Mode, prepareMaterial } from './prepare-material.js';
import { projectRoot } from './project-root.js';
import { readmeTables } from './readme-tables.js';
import { contendersOf, runDefinition } from './run-definition.js';
import { runInChild, withPeaks } from './run-in-child.js';
import { writeCounts } from './write-counts.js';

const canvas = {
  width: 150,
  paint: painter(process.stdout, process.env),
  coloured: wantsColour(process.stdout, process.env),
};
const say = (line: string) => void process.stdout.write(`${line}\n`);
const whisper = (line: string) => void process.stderr.write(`${line}\n`);

const usage = `usage: npm run bench -- [options]              measure everything and write a record
       npm run bench -- compare A B            what changed between two records beyond noise
       npm run bench -- plots RECORD           plots and tables of the curves, into bench/plots
       npm run bench -- table RECORD           the tables of the README
       npm run bench -- counts [--only NAME]   count everything the long way, into the definitions

  --quick             counts only, in under a minute; its times mean nothing
  --only NAME,…       these definitions and curves
  --no-curves         definitions only
  --limit MESSAGES    leave out the points of curves with more messages
  --out FILE          where the record goes, instead of bench/record`;

const options = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  'no-curves': { type: 'boolean', default: false },
  out: { type: 'string' },
  limit: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What was asked for cannot be done as it was asked; the message says how it can. */
class BadRequest extends Error {}

async function main(args: readonly string[]): Promise<number> {
  try {
    return await obey(args);
  } catch (error) {
    const isOfParser = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    if (!isOfParser && !(error instanceof BadRequest)) throw error;
    whisper(`${error.message.split('. ')[0]!.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}\n\n${usage}`);
    return 2;
  }
}

async function obey(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [verb = 'run', ...files] = positionals;
  if (values.help) {
    say(usage);
    return 0;
  }
  if (verb === 'run') return run(values.quick ? 'quick' : 'full', values);
  if (verb === 'compare' && files.length === 2) return compare(files[0]!, files[1]!);
  if (verb === 'plots' && files.length === 1) return plots(files[0]!);
  if (verb === 'table' && files.length === 1) {
    say(readmeTables(read(files[0]!)));
    return 0;
  }
  if (verb === 'counts') {
    writeCounts(wanting(values.only), whisper);
    return 0;
  }
  // Started by `runInChild`: one definition, whose result is the only line on standard output.
  if (verb === 'one' && files.length === 2) return one(JSON.parse(files[0]!) as Definition, files[1] as Mode);
  if (verb === 'peak' && files.length === 2) return peak(JSON.parse(files[0]!) as Definition, files[1]!);
  throw new BadRequest(`cannot ${[verb, ...files].join(' ')}`);
}

interface RunOptions {
  readonly only?: string | undefined;
  readonly 'no-curves'?: boolean | undefined;
  readonly out?: string | undefined;
  readonly limit?: string | undefined;
}

async function run(mode: Mode, options: RunOptions): Promise<number> {
  const isWanted = wanting(options.only);
  const limit = Number(options.limit ?? Number.POSITIVE_INFINITY);
  if (!(limit > 0)) throw new BadRequest('`--limit` takes a number over 0');
  const startedAt = performance.now();
  const machine = describeMachine();
  if (machine.load > machine.cores)
    whisper(`warning: load ${machine.load} on ${machine.cores} cores: ratios only, if anything`);
  const results = await measureAll(readDefinitions().filter(isWanted), mode, mode === 'full');
  const curves: Curve[] = [];
  for (const curve of options['no-curves'] === true ? [] : readCurves().filter(isWanted)) {
    curves.push(await runCurve(curve, mode, limit));
  }
  const commit = currentCommit(projectRoot);
  const record: BenchRecord = {
    format: 1,
    date: new Date().toISOString(),
    ...(commit !== undefined && { commit }),
    mode,
    machine,
    results,
    curves,
  };
  if (mode === 'full' || options.out !== undefined) say(`record: ${write(record, options.out)}`);
  const failures = failuresOf([...results, ...curves.flatMap(({ points }) => points.map(({ result }) => result))]);
  for (const failure of failures) whisper(`failed: ${failure}`);
  const count = results.length + curves.reduce((sum, { points }) => sum + points.length, 0);
  say(
    `${count} measurements in ${Math.round((performance.now() - startedAt) / 1000)} s, ${failures.length} contenders failed`,
  );
  return failures.length > 0 ? 1 : 0;
}

function wanting(only: string | undefined): (named: { readonly name: string }) => boolean {
  const names = only?.split(',');
  const known = [...readDefinitions(), ...readCurves()].map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new BadRequest(`nothing is called \`${unknown}\`; there are ${known.join(', ')}`);
  return ({ name }) => names === undefined || names.includes(name);
}

async function runCurve(curve: CurveDefinition, mode: Mode, limit: number): Promise<Curve> {
  const isTaken = (index: number) =>
    definitions[index]!.corpus.messages <= limit && (mode === 'full' || curve.points[index]!.quick);
  const definitions = definitionsOf(curve);
  const taken = curve.points.filter((_, index) => isTaken(index));
  const results = await measureAll(
    definitions.filter((_, index) => isTaken(index)),
    mode,
    mode === 'full' && curve.axis === 'messages',
  );
  const points = results.map((result, index) => ({ at: taken[index]!.at, result }));
  return { name: curve.name, axis: curve.axis, why: curve.why, points };
}

/** One after the other; two at a time when it is only to be seen that all counts are right. */
async function measureAll(
  definitions: readonly Definition[],
  mode: Mode,
  peaks: boolean,
): Promise<MeasurementResult[]> {
  const results: MeasurementResult[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < definitions.length; at = next++) {
      const result = await runInChild(definitions[at]!, mode);
      results[at] = peaks ? await withPeaks(definitions[at]!, result) : result;
      say([...benchScreen(results[at]!, canvas), ''].join('\n'));
    }
  };
  await Promise.all(mode === 'quick' ? [work(), work()] : [work()]);
  return results;
}

/** Started by `withPeaks`: one contender alone, once over everything; what is printed is the peak over what the messages take. */
async function peak(definition: Definition, name: string): Promise<number> {
  const contender = contendersOf(definition).find((candidate) => candidate.name === name);
  const material = prepareMaterial(definition, 'full');
  const overStart = await watchPeak();
  const runner = await contender?.prepare(material);
  if (runner === undefined || typeof runner === 'string') throw new Error(`${name} is not here`);
  await runner.pass(1);
  const inside = await overStart();
  say(String((await runner.peakBytes?.()) ?? inside));
  await runner.close?.();
  return 0;
}

async function one(definition: Definition, mode: Mode): Promise<number> {
  const result = await runDefinition(definition, mode, mode === 'quick' ? quickEffort : fullEffort);
  if (Number.isNaN(escapedCount())) throw new Error('nothing was counted');
  say(JSON.stringify(result));
  return 0;
}

function write(record: BenchRecord, given: string | undefined): string {
  const folder = join(projectRoot, 'bench/record');
  mkdirSync(folder, { recursive: true });
  const cpu = record.machine.cpu
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()
    .slice(0, 40);
  const path =
    given ?? join(folder, `${record.date.slice(0, 10)}-${(record.commit ?? 'none').replace('+', '')}-${cpu}.json`);
  // Six digits are more than any of these figures means.
  const short = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  writeFileSync(path, `${JSON.stringify(record, short)}\n`);
  return path;
}

function read(path: string): BenchRecord {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as BenchRecord;
  } catch {
    throw new BadRequest(`${path} is no record that can be read`);
  }
}

function compare(before: string, after: string): number {
  say(changeLines(compareRecords(read(before), read(after)), canvas).join('\n'));
  return 0;
}

function plots(path: string): number {
  for (const file of plotCurves(read(path), join(projectRoot, 'bench/plots'))) say(file);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
