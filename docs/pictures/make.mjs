/** Draws docs/pictures/screens.svg from what the built program prints, and play.png from its page: `npm run pictures`. */
import { existsSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { main } from '../../dist/cli/main.js';
import { textWidth } from '../../dist/cli/terminal/text.js';

const commands = [
  ['check', '--demo', 'You moron, buy now and click here'],
  ['audit', '--demo'],
];

const columns = 92;
/** Sizes in pixels: one column, one line, the space around the text, the bar of the window. */
const size = { column: 8.4, line: 19, edge: 20, bar: 36, font: 14 };

/** SGR codes that the program uses: those that begin a style, and the style that others end. */
const begins = { 1: 'bold', 2: 'faint', 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan' };
const ends = { 22: ['bold', 'faint'], 39: ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] };

const palettes = {
  light:
    'bg:#ffffff;edge:#d0d7de;text:#1f2328;faint:#59636e;red:#cf222e;green:#1a7f37;yellow:#9a6700;blue:#0969da;magenta:#8250df;cyan:#1b7c83',
  dark: 'bg:#0d1117;edge:#3d444d;text:#e6edf3;faint:#9198a1;red:#ff7b72;green:#3fb950;yellow:#d29922;blue:#58a6ff;magenta:#d2a8ff;cyan:#39c5cf',
};

/** What a command prints on a terminal of the fixed width. */
async function screenOf(args) {
  let printed = '';
  const write = (keep) => (text, done) => {
    if (keep) printed += text;
    done();
  };
  await main(args, {
    stdin: async function* () {},
    stdout: { columns, write: write(true) },
    stderr: { write: write(false) },
    env: { FORCE_COLOR: '1' },
    interrupted: new AbortController().signal,
    now: () => performance.now(),
    today: () => '2026-08-01',
    every: () => () => undefined,
  });
  return printed.trimEnd().split('\n');
}

/** Runs of one style of a line, each with the column where it begins. */
function runsOf(line) {
  const styles = new Set();
  const runs = [];
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that begins a style
  for (const part of line.split(/\u001b\[(\d+)m/).entries()) {
    const [index, text] = part;
    if (index % 2 === 1) {
      if (begins[text] !== undefined) styles.add(begins[text]);
      for (const style of ends[text] ?? []) styles.delete(style);
    } else {
      // Split at wide blanks, so that each word stays in its column whatever the font.
      for (const [word] of text.matchAll(/ +|\S+(?: \S+)*/g)) {
        const width = textWidth(word);
        if (word.trim() !== '') runs.push({ word, column, width, style: [...styles].join(' ') });
        column += width;
      }
    }
  }
  return runs;
}

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const rounded = (number) => Number(number.toFixed(1));

function lineOf(line, index) {
  const y = size.bar + size.edge + index * size.line;
  const spans = runsOf(line).map(({ word, column, width, style }) => {
    const x = rounded(size.edge + column * size.column);
    const length = rounded(width * size.column);
    const kind = style === '' ? '' : ` class="${style}"`;
    return `<tspan x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${kind}>${escaped(word)}</tspan>`;
  });
  return spans.length === 0 ? '' : `<text y="${y}">${spans.join('')}</text>\n`;
}

function rulesOf(palette) {
  const colours = Object.fromEntries(palette.split(';').map((entry) => entry.split(':')));
  const classes = Object.values(begins).filter((name) => name in colours);
  return [
    `.window{fill:${colours.bg};stroke:${colours.edge}}.dot{fill:${colours.edge}}text{fill:${colours.text}}`,
    ...classes.map((name) => `.${name}{fill:${colours[name]}}`),
  ].join('');
}

const prompt = (args) =>
  `\u001b[2m$\u001b[22m sluice ${args.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ')}`;
const lines = [];
for (const args of commands) lines.push(...(lines.length > 0 ? ['', ''] : []), prompt(args), ...(await screenOf(args)));

const width = Math.ceil(columns * size.column + 2 * size.edge);
const height = size.bar + size.edge + lines.length * size.line;
const dots = [0, 1, 2].map((index) => `<circle class="dot" cx="${22 + index * 18}" cy="18" r="5.5"/>`).join('');
writeFileSync(
  new URL('screens.svg', import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="sluice check and sluice audit in a terminal">
<style>text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.bold{font-weight:700}
${rulesOf(palettes.light)}
@media (prefers-color-scheme:dark){${rulesOf(palettes.dark)}}</style>
<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>${dots}
${lines.map(lineOf).join('')}</svg>
`,
);

/** Writes pixels of four bits a channel as a PNG with a palette: of the 256 most frequent colours, each other one the nearest. */
function indexedPng(width, height, pixels) {
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const channelsOf = (pixel) => [pixel >> 8, (pixel >> 4) & 15, pixel & 15];
  const colours = [...counts].sort((left, right) => right[1] - left[1]).map(([pixel]) => pixel);
  const palette = colours.slice(0, 256);
  const distance = (left, right) =>
    channelsOf(left).reduce((sum, own, at) => sum + (own - channelsOf(right)[at]) ** 2, 0);
  const nearest = (pixel) => palette.reduce((best, one) => (distance(one, pixel) < distance(best, pixel) ? one : best));
  const indexOf = new Map(colours.map((pixel) => [pixel, palette.indexOf(counts.size > 256 ? nearest(pixel) : pixel)]));
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...pixels.slice(y * width, (y + 1) * width).map((pixel) => indexOf.get(pixel)),
  ]);
  const chunk = (name, content) => {
    const body = Buffer.concat([Buffer.from(name), content]);
    const [length, sum] = [content.length, crc32(body)].map((number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      return bytes;
    });
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits a pixel, which are places in the palette.
  head.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((pixel) => channelsOf(pixel).map((own) => own * 17)))),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The page of `sluice play` with two new terms in a list, as docs/pictures/play.png, where there is a browser. */
async function drawPlay() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
  if (executablePath === undefined) return console.log('no chromium, so play.png stays as it is');
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 700 } });
  await page.goto(new URL('../../dist/play/index.html', import.meta.url).href);
  await page.locator('.see .bar .faint').waitFor();
  await page.locator('.editor textarea').press('Control+End');
  await page.keyboard.insertText('trade\nfree tickets\ntickets\n');
  await page.locator('.causes.newlyStopped').waitFor();
  await page
    .locator('.findings summary')
    .filter({ hasText: /^[1-9]/ })
    .waitFor({ timeout: 60_000 })
    .catch(() => undefined);
  await page.evaluate('document.activeElement.blur()');
  const png = await page.screenshot();
  const drawing = await browser.newPage();
  const { width, height, pixels } = await drawing.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    // One number a pixel, four bits a channel: more would not be seen, and the picture is in the package.
    const pixels = Array.from({ length: data.length / 4 }, (_, index) =>
      [0, 1, 2].reduce((number, channel) => number * 16 + Math.round(data[4 * index + channel] / 17), 0),
    );
    return { width: image.width, height: image.height, pixels };
  }, png.toString('base64'));
  writeFileSync(new URL('play.png', import.meta.url), indexedPng(width, height, pixels));
  await browser.close();
}
await drawPlay();
