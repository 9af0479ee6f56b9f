/** One line of a plot. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly low?: number; readonly high?: number }[];
}

/** What a plot says in words. */
export interface Legend {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Logarithmic axes; linear without. */
  readonly logX: boolean;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
}

const size = { width: 760, height: 420 } as const;
const frame = { left: 76, right: 190, top: 44, bottom: 52 } as const;
const inks = ['#0b6e4f', '#c2410c', '#1d4ed8', '#7c3aed', '#64748b', '#a16207'] as const;
const inner = { width: size.width - frame.left - frame.right, height: size.height - frame.top - frame.bottom };

/**
 * A plot as SVG: lines over a logarithmic y axis, ours thick, the middle half of the ratios or times as bars. Names stand at
 * the ends of the lines, pushed apart where they would touch; a white ground makes it readable on dark pages too.
 */
export function plotSvg(lines: readonly Line[], legend: Legend): string {
  const drawn = lines.filter(({ points }) => points.length > 0);
  const all = drawn.flatMap(({ points }) => points);
  const scaleX = scale(
    all.map(({ x }) => x),
    legend.logX,
    frame.left,
    frame.left + inner.width,
  );
  const scaleY = scale(
    all.flatMap(({ y, low = y, high = y }) => [low, high]),
    true,
    frame.top + inner.height,
    frame.top,
  );
  const places = labelPlaces(drawn.map(({ points }) => scaleY.at(points.at(-1)!.y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="system-ui, sans-serif" font-size="12" fill="#1e293b">`,
    `<title>${escapeXml(legend.title)}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    `<text x="${frame.left}" y="24" font-size="15" font-weight="600">${escapeXml(legend.title)}</text>`,
    ...gridX(
      scaleX,
      all.map(({ x }) => x),
      legend,
    ),
    ...gridY(scaleY, legend),
    ...drawn.flatMap((line, index) => drawLine(line, index, scaleX, scaleY, places[index]!)),
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
  const bottom = frame.top + inner.height;
  const ticks = [...new Set(values)].sort((a, b) => a - b);
  let last = Number.NEGATIVE_INFINITY;
  const shown = ticks.filter((tick) => {
    if (at(tick) - last < 44) return false;
    last = at(tick);
    return true;
  });
  return [
    ...shown.flatMap((tick) => [
      `<line x1="${round(at(tick))}" y1="${frame.top}" x2="${round(at(tick))}" y2="${bottom}" stroke="#e2e8f0"/>`,
      `<text x="${round(at(tick))}" y="${bottom + 18}" text-anchor="middle">${escapeXml(formatX(tick))}</text>`,
    ]),
    `<text x="${frame.left + inner.width / 2}" y="${size.height - 12}" text-anchor="middle" fill="#475569">${escapeXml(x)}</text>`,
  ];
}

function gridY({ low, high, at }: Scale, { y, formatY }: Legend): string[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5]) ticks.push(step * 10 ** power);
  }
  return [
    ...ticks
      .filter((tick) => tick >= low * 0.999 && tick <= high * 1.001)
      .flatMap((tick) => [
        `<line x1="${frame.left}" y1="${round(at(tick))}" x2="${frame.left + inner.width}" y2="${round(at(tick))}" stroke="#e2e8f0"/>`,
        `<text x="${frame.left - 8}" y="${round(at(tick) + 4)}" text-anchor="end">${escapeXml(formatY(tick))}</text>`,
      ]),
    `<text x="16" y="${frame.top + inner.height / 2}" text-anchor="middle" fill="#475569" transform="rotate(-90 16 ${frame.top + inner.height / 2})">${escapeXml(y)}</text>`,
  ];
}

function drawLine({ name, points }: Line, index: number, scaleX: Scale, scaleY: Scale, labelY: number): string[] {
  const ink = name.startsWith('floor') ? '#94a3b8' : inks[index % inks.length]!;
  const weight = name === 'sluice' ? 3 : 1.6;
  const dash = name.startsWith('floor') ? ' stroke-dasharray="4 4"' : '';
  const places = points.map(({ x, y }) => `${round(scaleX.at(x))},${round(scaleY.at(y))}`);
  const bars = points
    .filter(({ low, high }) => low !== undefined && high !== undefined)
    .map(({ x, low, high }) => {
      const across = round(scaleX.at(x));
      return `<line x1="${across}" y1="${round(scaleY.at(low!))}" x2="${across}" y2="${round(scaleY.at(high!))}" stroke="${ink}" stroke-width="1"/>`;
    });
  const dots = places.map((place) => {
    const [across, up] = place.split(',');
    return `<circle cx="${across}" cy="${up}" r="2.6" fill="${ink}"/>`;
  });
  const last = points.at(-1)!;
  const [endX, endY] = [round(scaleX.at(last.x)), round(scaleY.at(last.y))];
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${ink}" stroke-width="${weight}" stroke-linejoin="round"${dash}/>`,
    ...bars,
    ...dots,
    `<line x1="${endX + 4}" y1="${endY}" x2="${frame.left + inner.width + 14}" y2="${round(labelY)}" stroke="${ink}" stroke-width="0.6"/>`,
    `<text x="${frame.left + inner.width + 18}" y="${round(labelY + 4)}" fill="${ink}"${name === 'sluice' ? ' font-weight="700"' : ''}>${escapeXml(name)}</text>`,
  ];
}

/** Heights of the names: those of the lines' ends, at least a line of text apart and inside the frame. */
function labelPlaces(ends: readonly number[]): number[] {
  const gap = 16;
  const order = ends.map((_, index) => index).sort((a, b) => ends[a]! - ends[b]!);
  const places = [...ends];
  order.forEach((index, rank) => {
    const above = rank === 0 ? frame.top - gap : places[order[rank - 1]!]!;
    places[index] = Math.max(ends[index]!, above + gap);
  });
  const overflow = Math.max(0, (places[order.at(-1) ?? 0] ?? 0) - (frame.top + inner.height));
  return overflow === 0 ? places : places.map((place) => place - overflow);
}

const round = (value: number) => Math.round(value * 10) / 10;

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
