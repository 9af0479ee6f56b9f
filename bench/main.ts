/**
 * The benchmark harness, `npm run bench -- …`. Every definition runs in a process of its own, with
 * a heap and compiled code of its own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { screenLines } from '../src/cli/document/terminal.js';
import { outputOf } from '../src/cli/terminal/style.js';
import { SluiceError } from '../src/foundation/errors.js';
import { changeLines, compareRecords } from './compare.js';
import { type Definition, definitionsOf, readCurves, readDefinitions } from './definition.js';
import type { MeasurementResult } from './measure.js';
import { writeCounts } from './naive-counts.js';
import { plotCurves } from './plots.js';
import {
  type BenchRecord,
  type Curve,
  currentCommit,
  measurementsOf,
  projectRoot,
  readRecord,
  writeRecord,
} from './record.js';
import { describeMachine, failuresOf } from './rules/machine.js';
import { benchOwnRules } from './rules/own-rules.js';
import { benchBlocks } from './rules/screen.js';
import { peakOf, runDefinition, runInChild } from './run.js';
import { allTables, readmeTable } from './tables.js';
import type { Mode } from './workload.js';

const usage = `usage: npm run bench -- [options]              measure everything and write a record
       npm run bench -- compare A B            what changed between two records beyond noise
       npm run bench -- plots RECORD           plots and tables of the curves, into bench/plots
       npm run bench -- table RECORD           the tables of the README and of bench/README.md
       npm run bench -- counts [--only NAME]   count everything naively, into the definitions
       npm run bench -- --rules FILE --messages FILE [--quick]    your own rules on your own messages

  --quick             counts only, in about a minute; its times mean nothing
  --only NAME,…       these definitions and curves
  --no-curves         definitions only
  --limit MESSAGES    leave out the points of curves with more messages
  --out FILE          where the record goes, instead of bench/record`;

const output = outputOf(process, 150);
const print = (line: string) => void process.stdout.write(`${line}\n`);
const printError = (line: string) => void process.stderr.write(`${line}\n`);

/** The command line cannot be carried out; the message says what is wrong with it. */
class BadUsage extends Error {}

function parseCommandLine(args: string[]) {
  const options = {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'no-curves': { type: 'boolean', default: false },
    out: { type: 'string' },
    limit: { type: 'string', default: 'Infinity' },
    rules: { type: 'string' },
    messages: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ');
    throw new BadUsage(sentence!.replace(/^[A-Z]/, (letter) => letter.toLowerCase()));
  }
}

type Options = ReturnType<typeof parseCommandLine>['values'];

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args);
  const [verb = 'run', first = '', second = ''] = positionals;
  const command = `${verb} ${positionals.length > 0 ? positionals.length - 1 : 0}`;
  if (values.help) print(usage);
  else if (values.rules !== undefined || values.messages !== undefined) return runOwnRules(values, command);
  else if (command === 'run 0') return run(values);
  else if (command === 'compare 2') print(changeLines(compareRecords(read(first), read(second)), output).join('\n'));
  else if (command === 'plots 1') writePlots(read(first));
  else if (command === 'table 1') print(`${readmeTable(read(first))}\n\n${allTables(read(first))}`);
  else if (command === 'counts 0') writeCounts(selector(values.only), printError);
  // Internal, for `runInChild`: the result is the only line on standard output.
  else if (command === 'one 2') {
    print(JSON.stringify(await runDefinition(JSON.parse(first) as Definition, second as Mode)));
  } else if (command === 'peak 2') print(String(await peakOf(JSON.parse(first) as Definition, second)));
  else throw new BadUsage(`no such command: \`${positionals.join(' ')}\``);
  return 0;
}

async function runOwnRules({ rules, messages, quick, ...others }: Options, command: string): Promise<number> {
  if (rules === undefined || messages === undefined) throw new BadUsage('`--rules` and `--messages` go together');
  if (command !== 'run 0' || others.only !== undefined || others.out !== undefined)
    throw new BadUsage('`--rules` and `--messages` go with `--quick` alone');
  const mode = quick ? 'quick' : 'full';
  return benchOwnRules({ rules, messages, mode, output, print, printError }).catch((error: unknown) => {
    throw error instanceof SluiceError ? new BadUsage(error.message) : error;
  });
}

function read(path: string): BenchRecord {
  try {
    return readRecord(path);
  } catch {
    throw new BadUsage(`\`${path}\` is not a readable record`);
  }
}

function writePlots(record: BenchRecord): void {
  for (const { name, content } of plotCurves(record)) {
    const path = join(projectRoot, 'bench/plots', name);
    writeFileSync(path, content);
    print(path);
  }
}

/** Selects by the names of `--only`. */
function selector(only: string | undefined): (named: { readonly name: string }) => boolean {
  const names = only?.split(',');
  const known = [...readDefinitions(), ...readCurves()].map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new BadUsage(`nothing is called \`${unknown}\`; there are ${known.join(', ')}`);
  return ({ name }) => names === undefined || names.includes(name);
}

async function run(options: Options): Promise<number> {
  const mode = options.quick ? 'quick' : 'full';
  const isSelected = selector(options.only);
  const limit = Number(options.limit);
  if (!(limit > 0)) throw new BadUsage('`--limit` takes a number over 0');
  const startedAt = performance.now();
  const machine = describeMachine();
  const { load, cores } = machine;
  if (load > cores) printError(`warning: load ${load} on ${cores} cores: ratios only, if anything`);
  const results = await measureAll(readDefinitions().filter(isSelected), mode, mode === 'full');
  const curves: Curve[] = [];
  for (const curve of options['no-curves'] ? [] : readCurves().filter(isSelected)) {
    const { name, axis, why, points } = curve;
    const taken = definitionsOf(curve)
      .map((definition, index) => ({ definition, ...points[index]! }))
      .filter(({ definition, quick }) => definition.corpus.messages <= limit && (mode === 'full' || quick));
    const definitions = taken.map(({ definition }) => definition);
    const measured = await measureAll(definitions, mode, mode === 'full' && axis === 'messages');
    curves.push({ name, axis, why, points: measured.map((result, index) => ({ at: taken[index]!.at, result })) });
  }
  const commit = currentCommit();
  const date = new Date().toISOString();
  const record: BenchRecord = { format: 1, date, ...(commit && { commit }), mode, machine, results, curves };
  if (mode === 'full' || options.out !== undefined) print(`record: ${writeRecord(record, options.out)}`);
  const failures = failuresOf(measurementsOf(record));
  for (const failure of failures) printError(`failed: ${failure}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  print(`${measurementsOf(record).length} measurements in ${seconds} s, ${failures.length} contenders failed`);
  return failures.length > 0 ? 1 : 0;
}

/** One after the other; two at a time where only counts matter. */
async function measureAll(
  definitions: readonly Definition[],
  mode: Mode,
  peaks: boolean,
): Promise<MeasurementResult[]> {
  const results: MeasurementResult[] = [];
  const queue = definitions.entries();
  const work = async () => {
    for (const [at, definition] of queue) {
      const result = await runInChild(definition, mode, peaks);
      results[at] = result;
      print([...screenLines([benchBlocks(result)], output), ''].join('\n'));
    }
  };
  await Promise.all(mode === 'quick' ? [work(), work()] : [work()]);
  return results;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof BadUsage)) throw error;
  printError(`${error.message}\n\n${usage}`);
  return 2;
});
