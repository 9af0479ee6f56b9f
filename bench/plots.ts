import { formatCount } from '../src/cli/terminal/text.js';
import type { ContenderResult } from './measure.js';
import { type BenchRecord, type Curve, contenderOf, namesOf, originOf } from './record.js';
import { isFloor, ours } from './rules/contenders.js';
import { bytesWords, timeWords } from './rules/screen.js';
import { curveTable } from './tables.js';

/** The files of a record: a plot and a table for every curve, a plot of memory for `audit`. */
export function plotCurves(record: BenchRecord): { name: string; content: string }[] {
  const origin = originOf(record) + (record.commit ? `, ${record.commit}` : '');
  return record.curves
    .filter(({ points }) => points.length > 1)
    .flatMap((curve) => {
      const times = () => plotSvg(linesOf(curve, timeAt), legendOf(curve, 'time per message', timeWords));
      const peaks = () => plotSvg(linesOf(curve, peakAt), legendOf(curve, 'peak memory over the floor', bytesWords));
      return [
        { name: `${curve.name}.svg`, content: times() },
        ...(curve.name === 'audit' ? [{ name: 'audit-memory.svg', content: peaks() }] : []),
        { name: `${curve.name}.md`, content: `${curveTable(curve)}\n\n${origin}\n` },
      ];
    });
}

function linesOf({ points }: Curve, at: (x: number, found: ContenderResult) => PlotPoint | undefined): Line[] {
  return namesOf(points.map(({ result }) => result)).map((name) => ({
    name,
    points: points.flatMap((point) => {
      const found = contenderOf(point.result, name);
      return (found && at(point.at, found)) ?? [];
    }),
  }));
}

function timeAt(x: number, { ns }: ContenderResult): PlotPoint | undefined {
  return ns && { x, y: ns.median, low: ns.low, high: ns.high };
}

function peakAt(x: number, { peakBytes = 0 }: ContenderResult): PlotPoint | undefined {
  return peakBytes === 0 ? undefined : { x, y: peakBytes };
}

function legendOf({ name, axis, points }: Curve, y: string, formatY: Legend['formatY']): Legend {
  const logX = axis !== 'hits per thousand';
  const formatX = (value: number) => (value >= 1000 ? `${formatCount(value / 1000)}k` : String(value));
  return { title: `${name}: ${y} by ${axis} (${points[0]!.result.model})`, x: axis, y, logX, formatX, formatY };
}

interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** The ends of its error bar. */
  readonly low?: number;
  readonly high?: number;
}

/** One line of a plot. */
export interface Line {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

/** The texts and axes of a plot. */
export interface Legend {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Whether the x axis is logarithmic; the y axis always is. */
  readonly logX: boolean;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
}

const size = { width: 760, height: 420 } as const;
const left = 76;
const top = 44;
const right = size.width - 190;
const bottom = size.height - 52;
const inks = ['#0b6e4f', '#c2410c', '#1d4ed8', '#7c3aed', '#64748b', '#a16207'] as const;
const gridInk = '#e2e8f0';
const axisInk = '#475569';

/**
 * A plot as SVG: lines over a logarithmic y axis, ours thick, with error bars. Names stand at the
 * ends of the lines, moved apart where they would overlap; a white ground makes it readable on dark
 * pages too.
 */
export function plotSvg(lines: readonly Line[], legend: Legend): string {
  const drawn = lines.filter(({ points }) => points.length > 0);
  const all = drawn.flatMap(({ points }) => points);
  const xs = all.map(({ x }) => x);
  const ys = all.flatMap(({ y, low = y, high = y }) => [low, high]);
  const atX = scale(xs, legend.logX, left, right);
  const atY = scale(ys, true, bottom, top);
  const labels = labelPlaces(drawn.map(({ points }) => atY(points.at(-1)!.y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="system-ui, sans-serif" font-size="12" fill="#1e293b">`,
    element('title', {}, legend.title),
    element('rect', { ...size, fill: '#ffffff' }),
    textAt(left, 24, legend.title, { 'font-size': 15, 'font-weight': 600 }),
    ...gridX(atX, xs, legend),
    ...gridY(atY, ys, legend),
    ...drawn.flatMap((line, index) => drawLine(line, index, atX, atY, labels[index]!)),
    '</svg>',
    '',
  ].join('\n');
}

/** The place of a value on an axis, in pixels. */
type Scale = (value: number) => number;

function scale(values: readonly number[], logarithmic: boolean, from: number, to: number): Scale {
  const place = logarithmic ? Math.log10 : (value: number) => value;
  const kept = logarithmic ? values.filter((value) => value > 0) : values;
  const low = Math.min(...kept);
  const span = place(Math.max(...kept)) - place(low) || 1;
  return (value) => from + ((place(Math.max(value, low)) - place(low)) / span) * (to - from);
}

function gridX(at: Scale, values: readonly number[], { x, formatX }: Legend): string[] {
  const ticks: number[] = [];
  for (const value of [...new Set(values)].sort((a, b) => a - b)) {
    if (ticks.length === 0 || at(value) - at(ticks.at(-1)!) >= 44) ticks.push(value);
  }
  return [
    ...ticks.flatMap((tick) => [
      lineFrom([at(tick), top], [at(tick), bottom], { stroke: gridInk }),
      textAt(at(tick), bottom + 18, formatX(tick), { 'text-anchor': 'middle' }),
    ]),
    textAt((left + right) / 2, size.height - 12, x, { 'text-anchor': 'middle', fill: axisInk }),
  ];
}

function gridY(at: Scale, values: readonly number[], { y, formatY }: Legend): string[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const steps = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    ticks.push(
      ...steps.map((step) => step * 10 ** power).filter((tick) => tick >= low * 0.999 && tick <= high * 1.001),
    );
  }
  const middle = (top + bottom) / 2;
  return [
    ...ticks.flatMap((tick) => [
      lineFrom([left, at(tick)], [right, at(tick)], { stroke: gridInk }),
      textAt(left - 8, at(tick) + 4, formatY(tick), { 'text-anchor': 'end' }),
    ]),
    textAt(16, middle, y, { 'text-anchor': 'middle', fill: axisInk, transform: `rotate(-90 16 ${middle})` }),
  ];
}

function drawLine({ name, points }: Line, index: number, atX: Scale, atY: Scale, labelY: number): string[] {
  const stroke = isFloor(name) ? '#94a3b8' : inks[index % inks.length]!;
  const places = points.map(({ x, y }) => [round(atX(x)), round(atY(y))] as const);
  const bars = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined
      ? []
      : lineFrom([atX(x), atY(low)], [atX(x), atY(high)], { stroke, 'stroke-width': 1 }),
  );
  const [endX, endY] = places.at(-1)!;
  return [
    element('polyline', {
      points: places.join(' '),
      fill: 'none',
      stroke,
      'stroke-width': name === ours ? 3 : 1.6,
      'stroke-linejoin': 'round',
      ...(isFloor(name) && { 'stroke-dasharray': '4 4' }),
    }),
    ...bars,
    ...places.map(([cx, cy]) => element('circle', { cx, cy, r: 2.6, fill: stroke })),
    lineFrom([endX + 4, endY], [right + 14, labelY], { stroke, 'stroke-width': 0.6 }),
    textAt(right + 18, labelY + 4, name, { fill: stroke, ...(name === ours && { 'font-weight': 700 }) }),
  ];
}

/**
 * Heights of the names: those of the ends of the lines, at least a line of text apart and inside
 * the frame.
 */
function labelPlaces(ends: readonly number[]): number[] {
  const gap = 16;
  const order = ends.map((_, index) => index).sort((a, b) => ends[a]! - ends[b]!);
  const places = [...ends];
  order.forEach((index, rank) => {
    const above = rank === 0 ? top - gap : places[order[rank - 1]!]!;
    places[index] = Math.max(ends[index]!, above + gap);
  });
  const overflow = Math.max(0, (places[order.at(-1) ?? 0] ?? 0) - bottom);
  return places.map((place) => place - overflow);
}

type Attributes = Readonly<Record<string, string | number>>;
type Place = readonly [x: number, y: number];

function lineFrom([x1, y1]: Place, [x2, y2]: Place, attributes: Attributes): string {
  return element('line', { x1, y1, x2, y2, ...attributes });
}

function textAt(x: number, y: number, text: string, attributes: Attributes): string {
  return element('text', { x, y, ...attributes }, text);
}

/** An element of SVG; numbers are rounded to tenths. */
function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : value}"`,
  );
  const start = `<${name}${written.join('')}`;
  return content === undefined ? `${start}/>` : `${start}>${escapeXml(content)}</${name}>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
