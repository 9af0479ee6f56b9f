import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import Papa from 'papaparse';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunOptions, sluice } from './terminal.js';
import { worldFiles } from './world.js';

let files: Awaited<ReturnType<typeof worldFiles>>;
let path: string;
let labelsPath: string;
const hostile = [
  {
    id: '=1+1',
    sender: '\u{1b}]0;owned\u{7}',
    sentAt: 1_772_323_200,
    data: { text: '=HYPERLINK("x") heck \u{1b}[31mred\u{9b}31m\u{202e}\r\nand\tmore' },
  },
  { id: '12345678901234567', data: { text: `heck ${'word '.repeat(400)}the end` } },
  { id: '007', category: 'custom', data: { customData: { '\u{1b}[2J': 'damn' } } },
  {
    id: '4',
    type: 'image',
    data: { attachments: [{ url: 'https://media.test/\u{1b}[5m.jpg', mimeType: 'image/jpeg' }] },
  },
];

beforeAll(async () => {
  files = await worldFiles(40);
  path = files.file('sample.ndjson');
  labelsPath = files.file('sample.labels.ndjson');
  await writeFile(files.file('hostile.ndjson'), hostile.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await draw('sample.ndjson', 'messages.ndjson', '--per-rule', '4', '--stopped', '6', '--allowed', '3');
  await draw('hostile-sample.ndjson', 'hostile.ndjson');
});
afterAll(() => files.remove());
beforeEach(() => rm(labelsPath, { force: true }));

async function draw(name: string, messages: string, ...args: readonly string[]) {
  const given = ['--rules', files.file('rule-set.json'), '--messages', files.file(messages)];
  expect((await sluice(['sample', ...given, '--out', files.file(name), ...args])).code).toBe(0);
}

const begin = '\u{1b}[?1049h\u{1b}[?25l';
const end = '\u{1b}[?25h\u{1b}[?1049l';
/** What the screens themselves send. */
const ownSequences = new RegExp(`${begin[0]}\\[(?:\\?1049[hl]|\\?25[hl]|[HKJ]|\\d*m)`, 'gu');
const lines = async () =>
  (await readFile(labelsPath, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Presses keys, each in a chunk of its own, and looks at the screens: lines without colours. */
async function press(keys: readonly string[], args: readonly string[] = [], given: RunOptions = {}) {
  const raw: boolean[] = [];
  const onRawMode = (isRaw: boolean) => void raw.push(isRaw);
  const options = { isTTY: true, columns: 80, rows: 24, env: { NO_COLOR: '1' }, stdin: keys, onRawMode, ...given };
  const { code, stdout, stderr } = await sluice(['label', given.env === undefined ? path : path, ...args], options);
  expect(stdout.startsWith(begin) && stdout.endsWith(end)).toBe(true);
  expect(raw.at(-1)).toBe(false);
  const screens = stdout
    .split('\u{1b}[H')
    .slice(1)
    .map((screen) => screen.replaceAll(ownSequences, '').split('\r\n'));
  return { code, stderr, stdout, screens, raw };
}

describe('sluice label', () => {
  it('shows a message a screen, and keeps what each key says', async () => {
    const { code, screens, stderr } = await press(['r', 'w', 'u', 'q'], ['--as', 'ada']);
    expect(code).toBe(0);
    expect(screens.map((screen) => screen.at(-1))).toEqual([
      '1 of 4 · Profanity filter · r right  w wrong  u unsure  b back  q quit',
      '2 of 4 · Profanity filter · r right  w wrong  u unsure  b back  q quit',
      '3 of 4 · Profanity filter · r right  w wrong  u unsure  b back  q quit',
      '4 of 4 · Profanity filter · r right  w wrong  u unsure  b back  q quit',
    ]);
    for (const screen of screens) {
      expect(screen.length).toBe(24);
      expect(screen[0]).toBe('stopped: blockMessage');
      expect(screen.at(-2)).toBe('is it right that Profanity filter stopped this?');
      expect(screen.join('\n')).toMatch(/"(?:heck|damn|笨蛋|👩‍🚀)" · profanity-list → Profanity filter/);
      expect(screen.join('\n')).toMatch(/from bob · Mar \d \d{4}, \d\d:\d\d · in (?:group_team|alice_user_bob)/);
    }
    const rows = await lines();
    expect(rows.map(({ outcome, by, ruleId }) => [outcome, by, ruleId])).toEqual([
      ['right', 'ada', 'profanity-filter'],
      ['wrong', 'ada', 'profanity-filter'],
      ['unsure', 'ada', 'profanity-filter'],
    ]);
    const drawn = (await readFile(path, 'utf8'))
      .split('\n')
      .slice(1, 4)
      .map((line) => JSON.parse(line).messageId);
    expect(rows.map(({ messageId }) => messageId)).toEqual(drawn);
    expect(stderr).toContain(`of 21 messages labelled, in ${labelsPath}; the same command goes on there\n`);
    expect((await stat(labelsPath)).mode & 0o777).toBe(0o600);
  });

  it('goes back, and takes a label anew', async () => {
    const { screens } = await press(['r', 'r', 'b', 'b', 'w', 'q']);
    expect(screens.map((screen) => screen.at(-1)!.slice(0, 6))).toEqual([
      '1 of 4',
      '2 of 4',
      '3 of 4',
      '2 of 4',
      '1 of 4',
      '3 of 4',
    ]);
    expect(screens[3]!.at(-2)).toBe('is it right that Profanity filter stopped this?  so far: right');
    expect((await lines()).map(({ outcome }) => outcome)).toEqual(['right', 'right', 'wrong']);
    expect((await press(['b', 'b', 'b', 'b', 'q'])).screens.at(-1)!.at(-1)).toContain('1 of 4');
  });

  it('ends when all are labelled, and lets the last ones be changed', async () => {
    const { screens, stderr } = await press(Array.from({ length: 21 }, () => 'r'));
    expect(screens.at(-1)).toEqual(['all 21 are labelled', '', 'b back  q quit']);
    expect(stderr).toContain(`21 of 21 messages labelled, in ${labelsPath}; next: sluice precision ${path}\n`);
    const asked = screens.slice(0, -1).map((screen) => screen.at(-2));
    expect(asked.filter((words) => words === 'is it right that the rules stopped this?').length).toBe(6);
    expect(asked.filter((words) => words === 'is it right that nothing stopped this?').length).toBe(3);
    expect((await lines()).filter(({ ruleId }) => ruleId === undefined).length).toBe(9);
    const again = await press(['b', 'w', 'r', 'q']);
    expect(again.screens[0]![0]).toBe('all 21 are labelled');
    expect(again.screens[1]!.at(-2)).toBe('is it right that nothing stopped this?  so far: right');
    expect(again.screens.at(-1)![0]).toBe('all 21 are labelled');
    expect((await lines()).slice(21).map(({ outcome }) => outcome)).toEqual(['wrong']);
  });

  it('goes on wherever it was killed: behind each key, and in the middle of what it wrote', async () => {
    const keys = ['r', 'w', 'u', 'b', 'r', 'w', 'w', 'b', 'b', 'u', 'r', 'r'];
    await press([...keys, 'q']);
    const whole = await readFile(labelsPath, 'utf8');
    for (let killed = 0; killed <= keys.length; killed++) {
      await rm(labelsPath, { force: true });
      const controller = new AbortController();
      const typed = async function* () {
        yield* keys.slice(0, killed);
        controller.abort(new Error('interrupted by SIGTERM'));
        await new Promise(() => undefined);
      };
      const { code, stderr } = await press([], [], { stdin: typed(), interrupted: controller.signal });
      expect(code).toBe(130);
      expect(stderr).toContain('sluice: interrupted\n');
      const kept = await readFile(labelsPath, 'utf8');
      expect(kept.split('\n').length - 1).toBe(keys.slice(0, killed).filter((key) => key !== 'b').length);
      expect(whole.startsWith(kept)).toBe(true);
      await writeFile(labelsPath, `${kept}{"messageId":"1","outc`);
      const first = await press(['q']);
      expect(await readFile(labelsPath, 'utf8')).toBe(kept);
      // The first that has no label.
      const labelled = new Set(
        kept
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
          .map(({ messageId, ruleId }) => `${messageId} ${ruleId}`),
      );
      const rows = (await readFile(path, 'utf8'))
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line));
      const open = rows.findIndex(({ messageId, stratum }) => !labelled.has(`${messageId} ${stratum.ruleId}`));
      expect(first.screens[0]!.at(-1)).toMatch(new RegExp(`^${(open % 4) + 1} of 4`));
    }
  });

  it('leaves the terminal as it was, by Ctrl-C, Ctrl-D, Ctrl-Z, the end of input, and a file that cannot be written', async () => {
    const stopped = await press(['r', '\u{3}', 'r']);
    expect([stopped.code, (await lines()).length]).toEqual([130, 1]);
    expect((await press(['\u{4}', 'r'])).code).toBe(0);
    expect((await press([])).code).toBe(0);
    let suspended = 0;
    const away = await press(['r', '\u{1a}', 'r', 'q'], [], { onSuspend: () => (suspended += 1) });
    expect([suspended, away.raw, (await lines()).length]).toEqual([1, [true, false, true, false], 3]);
    expect(away.stdout.split(end).length).toBe(3);
    const missing = await sluice(['label', path, '--labels', files.file('none/labels.ndjson')], {
      isTTY: true,
      stdin: ['q'],
    });
    expect([missing.code, missing.stdout]).toEqual([2, '']);
  });

  it('takes no key from an arrow, and draws anew when the terminal changes its size', async () => {
    const ticks = new Set<() => void>();
    const output: { columns: number } & RunOptions = { columns: 80, ticks };
    const { screens } = await press(['\u{1b}[B', '\u{1b}[A', 'x', 'q'], [], output);
    expect(screens.map((screen) => screen.at(-1)!.slice(0, 6))).toEqual(['1 of 4', '1 of 4']);
    await expect(stat(labelsPath).then(({ size }) => size)).resolves.toBe(0);
    expect(ticks.size).toBe(0);
  });

  it('shows hostile messages whole, and nothing of them as it is to the terminal', async () => {
    const before = path;
    path = files.file('hostile-sample.ndjson');
    try {
      const { stdout, screens } = await press(
        Array.from({ length: 18 }, (_, at) => (at % 3 < 2 ? ' ' : 'r')),
        ['--labels', labelsPath],
        { rows: 14, env: {} },
      );
      const own = stdout.replaceAll(ownSequences, '').replaceAll('\r\n', '');
      expect(own).not.toMatch(/[\p{Cc}\u{202e}]/u);
      const shown = screens.map((screen) => screen.join('\n'));
      expect(shown.some((screen) => screen.includes('\\x1b[31mred\\x9b31m\\u{202e}\\r\\n'))).toBe(true);
      expect(shown.some((screen) => screen.includes('from \\x1b]0;owned\\x07 · Mar 1 2026, 00:00'))).toBe(true);
      expect(shown.some((screen) => screen.includes('the end'))).toBe(true);
      expect(shown.some((screen) => screen.includes('customData'))).toBe(true);
      expect(shown.some((screen) => screen.includes('image https://media.test/\\x1b[5m.jpg'))).toBe(true);
      for (const screen of screens) expect(screen.length).toBeLessThanOrEqual(14);
      const footers = screens.map((screen) => screen.at(-1)!).filter((footer) => footer.includes('space'));
      expect(footers.length).toBeGreaterThan(2);
      for (const footer of footers) {
        expect(footer).toMatch(
          /^\d of \d · .*… · r right {2}w wrong {2}u unsure {2}b back {2}q quit {2}space (?:more|begin) \(\d\/\d\)$/,
        );
        expect(footer.length).toBeLessThanOrEqual(80);
      }
    } finally {
      path = before;
    }
  });

  it('without a terminal names the file to fill', async () => {
    for (const given of [{}, { stdin: ['r'] }]) {
      const { code, stdout, stderr } = await sluice(['label', path], given);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`without one fill \`${labelsPath}\`, a row { "messageId", "ruleId", "outcome" }`);
    }
    await expect(stat(labelsPath)).rejects.toThrow('ENOENT');
    expect((await sluice(['label'])).stderr).toContain('no sample; give its file');
    for (const [text, words] of [
      ['', 'the file is empty'],
      ['{"messageId":"1"}\n', ':1: '],
      [
        '{"seed":1,"receipt":{},"strata":[{"kind":"stopped","size":2,"drawn":1}]}\n',
        'must have 1 rows of a stratum, and has 0',
      ],
    ] as const) {
      await writeFile(files.file('bad.ndjson'), text);
      const bad = await sluice(['label', files.file('bad.ndjson')]);
      expect([bad.code, bad.stderr.includes(words)]).toEqual([3, true]);
    }
  });
});

describe('sluice label --csv', () => {
  const csv = (name: string, ...args: readonly string[]) =>
    sluice(['label', files.file(name), '--csv', files.file('labels.csv'), ...args]);
  beforeEach(() => rm(files.file('labels.csv'), { force: true }));

  it('writes the messages without a formula, and takes back what was filled in, once', async () => {
    const sample = 'hostile-sample.ndjson';
    const wrote = await csv(sample, '--labels', labelsPath);
    expect([wrote.code, wrote.stdout]).toEqual([0, '']);
    expect(wrote.stderr).toContain('fill its column `outcome` with right, wrong or unsure, and run the same command');
    const text = await readFile(files.file('labels.csv'), 'utf8');
    expect(text.startsWith('\u{feff}messageId,ruleId,stratum,verdict,sender,text,outcome,by\r\n')).toBe(true);
    const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true });
    for (const cell of data.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    // Numbers that a spreadsheet would round or shorten are texts.
    const ids = new Set(data.slice(1).map(([id]) => id));
    expect(ids).toEqual(new Set(["'=1+1", "'12345678901234567", "'007", '4']));
    const words = ['Right', ' w ', 'unsure', ''];
    const filled = data.map((cells, at) => (at === 0 ? cells : [...cells.slice(0, 6), words[at - 1] ?? '', 'eve']));
    // As Excel writes it in half of Europe.
    await writeFile(files.file('labels.csv'), `\u{feff}${Papa.unparse(filled, { delimiter: ';' })}`);
    expect((await csv(sample, '--labels', labelsPath)).stderr).toContain('took 3 new labels from ');
    const rows = (await readFile(files.file(sample), 'utf8'))
      .split('\n')
      .slice(1, 4)
      .map((line) => JSON.parse(line));
    expect(await lines()).toEqual(
      rows.map(({ messageId, stratum }, at) => ({
        ...{ messageId, outcome: ['right', 'wrong', 'unsure'][at], by: 'eve' },
        ...(stratum.ruleId !== undefined && { ruleId: stratum.ruleId }),
      })),
    );
    expect((await csv(sample, '--labels', labelsPath)).stderr).toContain('took 0 new labels from ');
    expect((await lines()).length).toBe(3);
  });

  it.each([
    [
      'messageId,ruleId,outcome\n1,x,right\n',
      'row 2: `messageId` with its `ruleId` is not that of a message of the sample',
    ],
    ['messageId,outcome\n', undefined],
  ])('says what is wrong with %j', async (text, words) => {
    await writeFile(files.file('labels.csv'), text);
    const { code, stderr } = await csv('sample.ndjson');
    expect(code).toBe(words === undefined ? 0 : 3);
    if (words !== undefined) expect(stderr).toContain(words);
    expect(await lines()).toEqual([]);
  });

  it('refuses an outcome that is none', async () => {
    await csv('sample.ndjson');
    const text = await readFile(files.file('labels.csv'), 'utf8');
    await writeFile(files.file('labels.csv'), text.replace(/,,\r\n/, ',maybe,\r\n'));
    const { code, stderr } = await csv('sample.ndjson');
    expect([code, stderr.includes('row 2: `outcome` must be one of right, wrong, unsure, or empty')]).toEqual([
      3,
      true,
    ]);
  });
});
