import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchRecord, Curve, CurvePoint } from '../src/bench/record.js';
import { bytesWords, ratioWords, timeWords } from '../src/cli/bench-screen.js';
import { formatCount } from '../src/cli/terminal/text.js';
import { type Legend, type Line, plotSvg } from './plot.js';

/** Writes a plot and a table for every curve of a record, a plot of memory for `audit`, and answers the files. */
export function plotCurves({ curves, machine, date, commit }: BenchRecord, folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const origin = `${machine.cpu}, Node ${machine.node.slice(1)}, ${date.slice(0, 10)}${commit === undefined ? '' : `, ${commit}`}`;
  return curves
    .filter(({ points }) => points.length > 1)
    .flatMap((curve) => [
      write(`${curve.name}.svg`, plotSvg(linesOf(curve, timeAt), legendOf(curve, 'time per message', timeWords))),
      ...(curve.name === 'audit'
        ? [
            write(
              'audit-memory.svg',
              plotSvg(linesOf(curve, peakAt), legendOf(curve, 'peak memory over the floor', bytesWords)),
            ),
          ]
        : []),
      write(`${curve.name}.md`, `${tableOf(curve)}\n\n${origin}\n`),
    ]);
}

type PlotPoint = Line['points'][number];

function linesOf({ points }: Curve, at: (point: CurvePoint, name: string) => PlotPoint | undefined): Line[] {
  return namesOf(points).map((name) => ({
    name,
    points: points.map((point) => at(point, name)).filter((point) => point !== undefined),
  }));
}

function namesOf(points: readonly CurvePoint[]): string[] {
  return [...new Set(points.flatMap(({ result }) => result.contenders.map(({ name }) => name)))];
}

const contender = ({ result }: CurvePoint, name: string) =>
  result.contenders.find((candidate) => candidate.name === name);

function timeAt(point: CurvePoint, name: string): PlotPoint | undefined {
  const ns = contender(point, name)?.ns;
  return ns && { x: point.at, y: ns.median, low: ns.low, high: ns.high };
}

function peakAt(point: CurvePoint, name: string): PlotPoint | undefined {
  const bytes = contender(point, name)?.peakBytes;
  return bytes === undefined || bytes === 0 ? undefined : { x: point.at, y: bytes };
}

function legendOf({ name, axis, points }: Curve, y: string, formatY: Legend['formatY']): Legend {
  const logX = axis !== 'hits per thousand';
  const formatX = (value: number) => (value >= 1000 ? `${formatCount(value / 1000)}k` : String(value));
  return { title: `${name}: ${y} by ${axis} (${points[0]!.result.model})`, x: axis, y, logX, formatX, formatY };
}

/** The curve as a Markdown table: time per message, and in brackets how many times ours. */
function tableOf({ axis, why, points }: Curve): string {
  const names = namesOf(points);
  const cell = (point: CurvePoint, name: string) => {
    const found = contender(point, name);
    if (found?.ns === undefined) return found?.status === 'missing' ? 'not installed' : '';
    const ratio = name === 'sluice' ? '' : ` (${ratioWords(found.ratio)})`;
    const peak = found.peakBytes === undefined || axis !== 'messages' ? '' : `, ${bytesWords(found.peakBytes)}`;
    return `${timeWords(found.ns.median)}${ratio.replace(/ \(([\d.,]+) \(/, ' ($1; ').replace('))', ')')}${peak}`;
  };
  return [
    why,
    '',
    `| ${axis} | ${names.join(' | ')} |`,
    `|--:|${names.map(() => '--:').join('|')}|`,
    ...points.map((point) => `| ${formatCount(point.at)} | ${names.map((name) => cell(point, name)).join(' | ')} |`),
  ].join('\n');
}
