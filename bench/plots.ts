import { isFloor, ours } from '../src/bench/model.js';
import type { ContenderResult } from '../src/bench/record.js';
import { bytesWords, ratioWords, timeWords } from '../src/cli/bench-screen.js';
import { formatCount } from '../src/cli/terminal/text.js';
import type { BenchRecord, Curve, CurvePoint } from './record.js';

/** The files of a record: a plot and a table for every curve, a plot of memory for `audit`. */
export function plotCurves({ curves, machine, date, commit }: BenchRecord): { name: string; content: string }[] {
  const origin = [machine.cpu, `Node ${machine.node.slice(1)}`, date.slice(0, 10), ...(commit ? [commit] : [])].join(
    ', ',
  );
  return curves
    .filter(({ points }) => points.length > 1)
    .flatMap((curve) => {
      const times = () => plotSvg(linesOf(curve, timeAt), legendOf(curve, 'time per message', timeWords));
      const peaks = () => plotSvg(linesOf(curve, peakAt), legendOf(curve, 'peak memory over the floor', bytesWords));
      return [
        { name: `${curve.name}.svg`, content: times() },
        ...(curve.name === 'audit' ? [{ name: 'audit-memory.svg', content: peaks() }] : []),
        { name: `${curve.name}.md`, content: `${tableOf(curve)}\n\n${origin}\n` },
      ];
    });
}

function linesOf({ points }: Curve, at: (x: number, found: ContenderResult) => PlotPoint | undefined): Line[] {
  return namesOf(points).map((name) => ({
    name,
    points: points.flatMap((point) => at(point.at, resultOf(point, name) ?? { name, status: 'missing' }) ?? []),
  }));
}

function namesOf(points: readonly CurvePoint[]): string[] {
  return [...new Set(points.flatMap(({ result }) => result.contenders.map(({ name }) => name)))];
}

function resultOf({ result }: CurvePoint, name: string): ContenderResult | undefined {
  return result.contenders.find((contender) => contender.name === name);
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

/** The curve as a Markdown table: time per message, and in brackets how many times ours. */
function tableOf({ axis, why, points }: Curve): string {
  const names = namesOf(points);
  const cell = (point: CurvePoint, name: string) => {
    const { ns, ratio, peakBytes, status } = resultOf(point, name) ?? {};
    if (ns === undefined) return status === 'missing' ? 'not installed' : '';
    const times = name === ours ? '' : ` (${ratioWords(ratio).replace(/ \((.*)\)/, '; $1')})`;
    return (
      timeWords(ns.median) +
      times +
      (peakBytes === undefined || axis !== 'messages' ? '' : `, ${bytesWords(peakBytes)}`)
    );
  };
  return [
    why,
    '',
    `| ${axis} | ${names.join(' | ')} |`,
    `|--:|${names.map(() => '--:').join('|')}|`,
    ...points.map((point) => `| ${formatCount(point.at)} | ${names.map((name) => cell(point, name)).join(' | ')} |`),
  ].join('\n');
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
const frame = { left: 76, right: 190, top: 44, bottom: 52 } as const;
const inner = { width: size.width - frame.left - frame.right, height: size.height - frame.top - frame.bottom };
const bottom = frame.top + inner.height;
const inks = ['#0b6e4f', '#c2410c', '#1d4ed8', '#7c3aed', '#64748b', '#a16207'] as const;

/**
 * A plot as SVG: lines over a logarithmic y axis, ours thick, with error bars. Names stand at the ends of the lines, moved
 * apart where they would overlap; a white ground makes it readable on dark pages too.
 */
export function plotSvg(lines: readonly Line[], legend: Legend): string {
  const drawn = lines.filter(({ points }) => points.length > 0);
  const all = drawn.flatMap(({ points }) => points);
  const xs = all.map(({ x }) => x);
  const ys = all.flatMap(({ y, low = y, high = y }) => [low, high]);
  const scaleX = scale(xs, legend.logX, frame.left, frame.left + inner.width);
  const scaleY = scale(ys, true, bottom, frame.top);
  const labels = labelPlaces(drawn.map(({ points }) => scaleY.at(points.at(-1)!.y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="system-ui, sans-serif" font-size="12" fill="#1e293b">`,
    `<title>${escapeXml(legend.title)}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    `<text x="${frame.left}" y="24" font-size="15" font-weight="600">${escapeXml(legend.title)}</text>`,
    ...gridX(scaleX, xs, legend),
    ...gridY(scaleY, legend),
    ...drawn.flatMap((line, index) => drawLine(line, index, scaleX, scaleY, labels[index]!)),
    '</svg>',
    '',
  ].join('\n');
}

interface Scale {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
}

function scale(values: readonly number[], logarithmic: boolean, from: number, to: number): Scale {
  const place = logarithmic ? Math.log10 : (value: number) => value;
  const kept = logarithmic ? values.filter((value) => value > 0) : values;
  const low = Math.min(...kept);
  const high = Math.max(...kept);
  const span = place(high) - place(low) || 1;
  return { low, high, at: (value) => from + ((place(Math.max(value, low)) - place(low)) / span) * (to - from) };
}

function gridX({ at }: Scale, values: readonly number[], { x, formatX }: Legend): string[] {
  const ticks: number[] = [];
  for (const value of [...new Set(values)].sort((a, b) => a - b)) {
    if (ticks.length === 0 || at(value) - at(ticks.at(-1)!) >= 44) ticks.push(value);
  }
  return [
    ...ticks.flatMap((tick) => [
      `<line x1="${round(at(tick))}" y1="${frame.top}" x2="${round(at(tick))}" y2="${bottom}" stroke="#e2e8f0"/>`,
      `<text x="${round(at(tick))}" y="${bottom + 18}" text-anchor="middle">${escapeXml(formatX(tick))}</text>`,
    ]),
    `<text x="${frame.left + inner.width / 2}" y="${size.height - 12}" text-anchor="middle" fill="#475569">${escapeXml(x)}</text>`,
  ];
}

function gridY({ low, high, at }: Scale, { y, formatY }: Legend): string[] {
  const steps = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    ticks.push(
      ...steps.map((step) => step * 10 ** power).filter((tick) => tick >= low * 0.999 && tick <= high * 1.001),
    );
  }
  const middle = frame.top + inner.height / 2;
  return [
    ...ticks.flatMap((tick) => [
      `<line x1="${frame.left}" y1="${round(at(tick))}" x2="${frame.left + inner.width}" y2="${round(at(tick))}" stroke="#e2e8f0"/>`,
      `<text x="${frame.left - 8}" y="${round(at(tick) + 4)}" text-anchor="end">${escapeXml(formatY(tick))}</text>`,
    ]),
    `<text x="16" y="${middle}" text-anchor="middle" fill="#475569" transform="rotate(-90 16 ${middle})">${escapeXml(y)}</text>`,
  ];
}

function drawLine({ name, points }: Line, index: number, scaleX: Scale, scaleY: Scale, labelY: number): string[] {
  const ink = isFloor(name) ? '#94a3b8' : inks[index % inks.length]!;
  const weight = name === ours ? 3 : 1.6;
  const dash = isFloor(name) ? ' stroke-dasharray="4 4"' : '';
  const places = points.map(({ x, y }) => [round(scaleX.at(x)), round(scaleY.at(y))] as const);
  const bars = points.flatMap(({ x, low, high }) => {
    if (low === undefined || high === undefined) return [];
    const across = round(scaleX.at(x));
    return `<line x1="${across}" y1="${round(scaleY.at(low))}" x2="${across}" y2="${round(scaleY.at(high))}" stroke="${ink}" stroke-width="1"/>`;
  });
  const [endX, endY] = places.at(-1)!;
  const right = frame.left + inner.width;
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${ink}" stroke-width="${weight}" stroke-linejoin="round"${dash}/>`,
    ...bars,
    ...places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="2.6" fill="${ink}"/>`),
    `<line x1="${endX + 4}" y1="${endY}" x2="${right + 14}" y2="${round(labelY)}" stroke="${ink}" stroke-width="0.6"/>`,
    `<text x="${right + 18}" y="${round(labelY + 4)}" fill="${ink}"${name === ours ? ' font-weight="700"' : ''}>${escapeXml(name)}</text>`,
  ];
}

/** Heights of the names: those of the ends of the lines, at least a line of text apart and inside the frame. */
function labelPlaces(ends: readonly number[]): number[] {
  const gap = 16;
  const order = ends.map((_, index) => index).sort((a, b) => ends[a]! - ends[b]!);
  const places = [...ends];
  order.forEach((index, rank) => {
    const above = rank === 0 ? frame.top - gap : places[order[rank - 1]!]!;
    places[index] = Math.max(ends[index]!, above + gap);
  });
  const overflow = Math.max(0, (places[order.at(-1) ?? 0] ?? 0) - bottom);
  return places.map((place) => place - overflow);
}

const round = (value: number) => Math.round(value * 10) / 10;

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
