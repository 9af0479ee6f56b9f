import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ContenderResult, MeasurementResult } from './measure.js';
import type { describeMachine } from './rules/machine.js';

/**
 * The folder of package.json: code runs from `bench/` under a test and from
 * `dist/benchmarks/bench/` otherwise.
 */
export const projectRoot = dirname(createRequire(import.meta.url).resolve('sluice/package.json'));

/** One point of a curve: its place on the axis, and the measurement there. */
export interface CurvePoint {
  readonly at: number;
  readonly result: MeasurementResult;
}

/** A series of measurements that differ in one number. */
export interface Curve {
  readonly name: string;
  /** The meaning of the number: `terms`, `characters`. */
  readonly axis: string;
  readonly why: string;
  readonly points: readonly CurvePoint[];
}

/** The results of a run, as written to a file of `bench/record`. */
export interface BenchRecord {
  readonly format: 1;
  readonly date: string;
  readonly commit?: string;
  readonly mode: 'quick' | 'full';
  readonly machine: ReturnType<typeof describeMachine>;
  readonly results: readonly MeasurementResult[];
  readonly curves: readonly Curve[];
}

/** Single measurements and points of curves. */
export function measurementsOf({ results, curves }: Pick<BenchRecord, 'results' | 'curves'>): MeasurementResult[] {
  return [...results, ...curves.flatMap(({ points }) => points.map(({ result }) => result))];
}

/** The names of all contenders, in the order in which they first occur. */
export function namesOf(results: readonly MeasurementResult[]): string[] {
  return [...new Set(results.flatMap(({ contenders }) => contenders.map(({ name }) => name)))];
}

/** The figures of a contender in a measurement. */
export function contenderOf({ contenders }: MeasurementResult, name: string): ContenderResult | undefined {
  return contenders.find((contender) => contender.name === name);
}

/** Machine and day of a record. */
export function originOf({ machine, date }: BenchRecord): string {
  return `${machine.cpu}, Node ${machine.node.slice(1)}, ${date.slice(0, 10)}`;
}

/** Reads a record; throws `Error` for a file that has none. */
export function readRecord(path: string): BenchRecord {
  return JSON.parse(readFileSync(path, 'utf8')) as BenchRecord;
}

/** Writes a record into `bench/record`, or to the given path, and returns the path. */
export function writeRecord(record: BenchRecord, given?: string): string {
  const { date, commit = 'none', machine } = record;
  const cpu = machine.cpu.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();
  const name = `${date.slice(0, 10)}-${commit.replace('+', '')}-${cpu.slice(0, 40)}.json`;
  const path = given ?? join(projectRoot, 'bench/record', name);
  mkdirSync(dirname(path), { recursive: true });
  // More than six digits mean nothing in any of these figures.
  const short = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  writeFileSync(path, `${JSON.stringify(record, short)}\n`);
  return path;
}

/**
 * The commit of the work tree, with `+` when it has changes; `undefined` outside of a repository.
 */
export function currentCommit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', projectRoot, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') && '+');
  } catch {
    return undefined;
  }
}
