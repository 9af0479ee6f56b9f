import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { startService } from '../../src/platform/service/index.js';
import { pagesOf } from '../service/intercepts.js';
import { json, serve } from '../support/http.js';
import { expectPlainScreens, sluice } from './terminal.js';
import { errorLine, messages, openWorld, world } from './world.js';

const { files, env } = await openWorld();

const fromFiles = () => ['audit', '--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')];
const withoutPort = (screen: string) => screen.replace(/127\.0\.0\.1:\d+/g, 'HOST');

describe('sluice audit', () => {
  it('judges all messages of a platform for every page size', async () => {
    for (const size of [7, 1000]) {
      const paged = await startService({ data: world(), intercept: pagesOf(size) });
      onTestFinished(() => paged.close());
      const own = { SLUICE_BASE_URL: paged.url, SLUICE_API_KEY: paged.apiKey };
      const { code, stdout, stderr } = await sluice(['audit', '--json'], { env: own });
      expect(code).toBe(0);
      expect(stderr.split('\n')).toEqual([
        `pulling rules from ${paged.url}`,
        `judging messages of ${paged.url}`,
        errorLine.trimEnd().replace('http 404', 'http 404 (ERR_KEYWORD_NOT_FOUND)'),
        '',
      ]);
      expect(JSON.parse(stdout)).toMatchObject({
        partial: false,
        messages: 40,
        verdicts: { allow: 10, blockMessage: 25, dropMessage: 5 },
        ruleSet: { rules: 6, running: 5, missing: [{ listId: 'lost-list' }] },
      });
    }
  });

  it('says on the screen and in the JSON, once, that no score is above 1', async () => {
    const low = Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [`https://media.test/${index}.jpg`, { gore: 0.97 }]),
    );
    await writeFile(files.file('low.json'), JSON.stringify(low));
    const scored = [...fromFiles(), '--scores', files.file('low.json')];
    const screen = await sluice(scored);
    expect(screen.stdout.replace(/\n +/g, ' ')).toContain(
      '\nnone of 21 scored texts and files has a score above 1, and thresholds count',
    );
    expect(screen.stderr).not.toContain('score');
    expect(JSON.parse((await sluice([...scored, '--json'])).stdout)).toMatchObject({ scoresUpToOne: 21 });
    const scaled = JSON.parse((await sluice([...scored, '--json', '--scores-scale', '1'])).stdout);
    expect(scaled).not.toHaveProperty('scoresUpToOne');
    expect(scaled.labels).toMatchObject([{ ruleId: 'gore', label: 'gore' }]);
  });

  it('reports the same for files and standard input as for the platform', async () => {
    const scored = ['--scores', files.file('scores.json'), '--json', '--quiet'];
    const fromPlatform = await sluice(['audit', ...scored], { env });
    const rulesFromFile = await sluice(['audit', '--rules', files.file('rule-set.json'), ...scored], { env });
    const messagesFromFile = await sluice(['audit', '--messages', files.file('messages.ndjson'), ...scored], { env });
    const piped = messages(40).map((row) => `${JSON.stringify(row)}\n`);
    const fromPipe = await sluice(['audit', '--messages', '-', ...scored], { env, stdin: piped });
    const withoutSource = (stdout: string) => ({ ...JSON.parse(stdout), input: undefined });
    expect(withoutSource(messagesFromFile.stdout)).toEqual(withoutSource(fromPlatform.stdout));
    expect(withoutSource(fromPipe.stdout)).toEqual(withoutSource(fromPlatform.stdout));
    const { rules, unevaluated } = JSON.parse(fromPlatform.stdout);
    expect(JSON.parse(rulesFromFile.stdout)).toMatchObject({ rules, unevaluated });
    expect(rules.find(({ ruleId }: { ruleId: string }) => ruleId === 'gore')).toMatchObject({ matched: 1 });
  });

  it('opens no platform and reads no key when rules and messages come from files', async () => {
    const { code, stderr } = await sluice([...fromFiles(), '--quiet'], {
      env: { SLUICE_BASE_URL: 'not even an address' },
    });
    expect([code, stderr]).toEqual([0, errorLine]);
  });

  it('applies conversation and time filters to platform and file alike', async () => {
    const count = async (...filters: string[]) => {
      const counts = [];
      for (const source of [['audit'], ['audit', '--messages', files.file('messages.ndjson')]]) {
        const { stdout } = await sluice([...source, ...filters, '--json', '--quiet'], { env });
        counts.push(JSON.parse(stdout).messages);
      }
      return counts;
    };
    expect(await count('--conversation', 'group_team')).toEqual([20, 20]);
    expect(await count('--since', '2026-03-02')).toEqual([16, 16]);
    expect(await count('--until', '2026-03-01')).toEqual([24, 24]);
    expect(await count('--since', '2026-03-01T03:00Z', '--until', '2026-03-01T05:00:00+01:00')).toEqual([2, 2]);
    expect(await count('--since', '1772323200', '--until', '1772323200')).toEqual([1, 1]);
    const { stdout } = await sluice(['audit', '--on-behalf-of', 'alice', '--json', '--quiet'], { env });
    expect(JSON.parse(stdout).messages).toBe(40);
  });

  it('applies the readings of --semantics', async () => {
    const semantics = files.file('semantics.json');
    await writeFile(semantics, JSON.stringify({ shadow: ['profanity-filter'], runs: 'all' }));
    const { stdout } = await sluice([...fromFiles(), '--semantics', semantics, '--json', '--quiet']);
    const report = JSON.parse(stdout);
    expect(report.ruleSet.running).toBe(6);
    expect(report.rules.find(({ ruleId }: { ruleId: string }) => ruleId === 'profanity-filter')).toMatchObject({
      shadow: true,
      matched: 20,
      determining: 0,
    });
  });
});

describe('sluice audit --demo', () => {
  it('judges messages of a file by the rules of the demo only with --demo', async () => {
    const stdin = ['{"data":{"text":"hello"}}\n'];
    const { code, stdout } = await sluice(['audit', '--demo', '--messages', '-'], { stdin });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^from standard input, by rules from the bundled\s+demo/m);
    expect((await sluice(['audit', '--messages', '-'], { stdin })).code).toBe(2);
  });
});

describe('audit screen', () => {
  it('matches the golden screen of 80 columns', async () => {
    const { stdout } = await sluice(['audit'], { env });
    await expect(withoutPort(stdout)).toMatchFileSnapshot('../golden/cli/audit-80-columns.txt');
  });

  it('matches the golden screen in colour of 100 columns, and of 140, which are the most', async () => {
    for (const [columns, width] of [
      [100, 100],
      [200, 140],
    ] as const) {
      const { stdout } = await sluice(['audit', '--scores', files.file('scores.json')], { env, isTTY: true, columns });
      await expect(withoutPort(stdout)).toMatchFileSnapshot(`../golden/cli/audit-colour-${width}-columns.txt`);
    }
  });

  it('has plain screens of any width', async () => {
    const others = [['--by', 'term'], ['--by', 'sender'], ['--shadow', 'scam', '--verbose'], ['--compare-platform']];
    const isMeasured = (line: string) => !line.includes(files.directory);
    for (const args of [[], ...others])
      await expectPlainScreens((given) => sluice([...fromFiles(), ...args], given), [40, 300], isMeasured);
  });

  it('lists what is wrong with the rule set with --verbose, and as many rules as --top says', async () => {
    const { stdout } = await sluice(['audit', '--verbose', '--top', '1'], { env });
    await expect(withoutPort(stdout)).toMatchFileSnapshot('../golden/cli/audit-verbose.txt');
  });

  it('names the patterns in the ranking by term, also those that have a number', async () => {
    const { stdout } = await sluice(['audit', '--by', 'term'], { env, isTTY: true, columns: 140 });
    expect(stripVTControlCharacters(stdout)).toMatch(/^\/\[a-z0-9\._%\+-\]\+@\[a-z0-9\.-\]\S+ +5 +5 +Email filter$/m);
    // One that does not fit is known by its number.
    const value = ['[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\\.[A-Za-z]{2,10}', 'zz'];
    const condition = { operand: 'text', category: 'pattern', value };
    const rules = [{ id: 'r', action: ['blockMessage'], conditions: [condition] }];
    await writeFile(files.file('patterns.json'), JSON.stringify({ rules, lists: [] }));
    const args = ['audit', '--rules', files.file('patterns.json'), '--messages', files.file('messages.ndjson')];
    const listed = await sluice([...args, '--by', 'term'], { isTTY: true, columns: 140 });
    expect(stripVTControlCharacters(listed.stdout)).toMatch(/^pattern 1: \/\[A-Za-z0-9\._%\+-\]\S+ +5 +5\b/m);
  });

  it.each(['day', 'sender', 'conversation', 'rule', 'term'])('ranks stopped messages by %s', async (by) => {
    const { stdout } = await sluice(['audit', '--by', by, '--top', '3'], { env });
    await expect(withoutPort(stdout)).toMatchFileSnapshot(`../golden/cli/audit-by-${by}.txt`);
  });

  it('says what rules in shadow would stop, with --shadow', async () => {
    const args = ['audit', '--shadow', 'profanity-filter', '--shadow', 'off', '--top', '1'];
    const { stdout } = await sluice(args, { env });
    await expect(withoutPort(stdout)).toMatchFileSnapshot('../golden/cli/audit-in-shadow.txt');
    const { rules, verdicts } = JSON.parse((await sluice([...args, '--json', '--quiet'], { env })).stdout);
    expect(verdicts).toEqual({ allow: 30, blockMessage: 5, dropMessage: 5 });
    expect(rules[0]).toMatchObject({ ruleId: 'profanity-filter', shadow: true, determining: 0, wouldStop: 20 });
  });

  it('counts what was excepted by exception, and names the exceptions that never applied', async () => {
    const semantics = files.file('exceptions.json');
    const exceptions = [{ terms: ['never said', 'what the heck'] }, { lists: ['scam-list'] }, { patterns: ['dam+n'] }];
    await writeFile(semantics, JSON.stringify({ exceptions }));
    const { stdout } = await sluice(['audit', '--semantics', semantics, '--top', '1'], { env });
    await expect(withoutPort(stdout)).toMatchFileSnapshot('../golden/cli/audit-excepted.txt');
    const args = [...fromFiles(), '--semantics', semantics, '--json', '--quiet'];
    const summary = JSON.parse((await sluice(args)).stdout);
    const [one, two] = [await sluice([...args, '--threads', '2']), await sluice([...args, '--threads', '1'])];
    expect(JSON.parse(one.stdout)).toEqual(JSON.parse(two.stdout));
    const applied = summary.exceptions.map(({ term, pattern }: Record<string, string>) => term ?? pattern);
    const never = summary.neverMatched.exceptions.map(({ term, pattern }: Record<string, string>) => term ?? pattern);
    expect([...applied, ...never].sort()).toEqual(['dam+n', 'free\nmoney', 'never said', 'what the heck']);
    expect(never).toContain('never said');
    expect(applied.length).toBeGreaterThan(0);
  });

  it('adds --shadow to the reading `shadow` of --semantics', async () => {
    const semantics = files.file('scam-in-shadow.json');
    await writeFile(semantics, JSON.stringify({ shadow: ['scam'] }));
    const args = [...fromFiles(), '--semantics', semantics, '--shadow', 'email_filter', '--json', '--quiet'];
    const { rules } = JSON.parse((await sluice(args)).stdout);
    const inShadow = rules.filter(({ shadow }: { shadow: boolean }) => shadow);
    expect(inShadow.map(({ ruleId }: { ruleId: string }) => ruleId).sort()).toEqual(['email_filter', 'scam']);
  });

  it.each([
    ['--shadow', 'profanity-fliter', 'did you mean `profanity-filter`?'],
    ['--shadow', 'Email filter', 'did you mean `email_filter`?'],
    ['--shadow', 'nothing like it', '`sluice audit --json` lists those that match'],
  ])('refuses an unknown rule: %s %s', async (option, rule, hint) => {
    const { code, stderr } = await sluice([...fromFiles(), '--quiet', option, rule]);
    const words = `\`${option}\` must be the id of a rule, and no rule has this one; ${hint}`;
    expect([code, stderr]).toEqual([2, `sluice: ${words}\n`]);
  });

  it('has nothing but the errors of the rules with --quiet; with --quiet --json, the JSON', async () => {
    expect(await sluice([...fromFiles(), '--quiet'])).toEqual({ code: 0, stdout: '', stderr: errorLine });
    const { stdout, stderr } = await sluice([...fromFiles(), '--quiet', '--json']);
    expect(stderr).toBe(errorLine);
    expect(JSON.parse(stdout).messages).toBe(40);
  });

  it('has a status line on a terminal while messages are judged, erased at the end', async () => {
    let written = '';
    const onWrite = (stream: string, text: string) => {
      if (stream === 'stderr') written += text;
    };
    const ticks = new Set<() => void>();
    async function* slowly() {
      for (const row of messages(40)) {
        yield `${JSON.stringify(row)}\n`;
        for (const tick of ticks) tick();
      }
    }
    const args = ['audit', '--rules', files.file('rule-set.json'), '--messages', '-'];
    await sluice(args, { isTTY: true, columns: 60, stdin: slowly(), ticks, onWrite });
    expect(ticks.size).toBe(0);
    expect(written).toMatch(/\d+ messages judged, \d+ a second/);
    expect(written.endsWith('\r\u{1b}[K')).toBe(true);
    written = '';
    await sluice(args, { isTTY: false, stdin: slowly(), ticks, onWrite });
    expect(written).not.toContain('\r');
  });
});

describe('sluice audit --compare-platform', () => {
  /**
   * What the platform decided of messages of the world: 2 and 7 have terms, 3 an address, 6 a term,
   * 1 nothing.
   */
  const decided: Readonly<Record<string, unknown>> = {
    1: { status: 'approved' },
    2: { status: 'disapproved', rule: { id: 'profanity-filter', name: 'Profanity filter' } },
    3: { status: 'approved' },
    6: { status: 'disapproved', rule: { id: 'scam', name: 'Scam' } },
    7: { status: 'pending' },
    9: { status: 'disapproved', rule: { id: 'greeting', name: 'Greeting' } },
    10: { status: 'in_review' },
  };
  const stdin = () =>
    messages(12).map((row) => {
      const moderation = decided[row.id];
      return `${JSON.stringify({ ...row, data: { ...row.data, ...(moderation !== undefined && { moderation }) } })}\n`;
    });
  const args = () => ['audit', '--rules', files.file('rule-set.json'), '--messages', '-', '--compare-platform'];

  it('shows agreement, disagreements by rule, and what another reading would change', async () => {
    const { code, stdout } = await sluice([...args(), '--top', '5'], { stdin: stdin() });
    expect(code).toBe(0);
    const screen = stdout.replaceAll(files.directory, 'DIRECTORY');
    await expect(screen).toMatchFileSnapshot('../golden/cli/audit-compare-platform.txt');
  });

  it('has the same in its JSON, and in no other audit', async () => {
    const { stdout } = await sluice([...args(), '--json', '--quiet'], { stdin: stdin() });
    expect(JSON.parse(stdout).platform).toMatchObject({
      messages: 12,
      carrying: 7,
      compared: 5,
      bothAllow: 1,
      bothStop: 2,
      onlyHere: 1,
      onlyThere: 1,
      ruleNamed: 2,
      sameRule: 1,
      examples: { onlyHere: ['3'], onlyThere: ['9'] },
    });
    const { stdout: plain } = await sluice([...args().slice(0, -1), '--json', '--quiet'], { stdin: stdin() });
    expect(JSON.parse(plain)).not.toHaveProperty('platform');
  });

  it('says so when no message carries a decision of the platform', async () => {
    const { code, stdout } = await sluice([...fromFiles(), '--compare-platform']);
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain("no message carries the platform's decision (`data.moderation`)");
  });

  it('gives scores to every reading', async () => {
    const [picture] = messages(8).slice(7);
    const row = { ...picture, data: { ...picture?.data, moderation: { status: 'disapproved' } } };
    const scored = [...args(), '--scores', files.file('scores.json'), '--json', '--quiet'];
    const { stdout } = await sluice(scored, { stdin: [`${JSON.stringify(row)}\n`] });
    const { bothStop, readings } = JSON.parse(stdout).platform;
    expect([bothStop, readings.filter(({ breaks }: { breaks: number }) => breaks > 0)]).toEqual([1, []]);
  });
});

describe('sluice audit --out', () => {
  const rows = async (directory: string) =>
    (await readFile(`${directory}/decisions.ndjson`, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('writes the decision of the engine for each message that is not plainly allowed', async () => {
    const out = files.file('new/directory');
    const { code, stdout } = await sluice([...fromFiles(), '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toContain('(40 rows)');
    const engine = createEngine(await readRuleSetFile(files.file('rule-set.json')));
    const expected = messages(40).map((message) => ({
      messageId: message.id,
      conversationId: message.conversationId,
      sender: 'bob',
      sentAt: message.sentAt,
      decision: engine.explain(message),
    }));
    expect(await rows(out)).toEqual(JSON.parse(JSON.stringify(expected)));
    expect((await readdir(out)).sort()).toEqual(['decisions.ndjson', 'manifest.json', 'summary.json']);
  });

  it('writes plainly allowed messages only with --all', async () => {
    const good = files.file('good-rules.json');
    const { rules, lists } = JSON.parse(await readFile(files.file('rule-set.json'), 'utf8'));
    await writeFile(good, JSON.stringify({ rules: rules.slice(0, 1), lists }));
    const source = ['audit', '--rules', good, '--messages', files.file('messages.ndjson'), '--quiet'];
    await sluice([...source, '--out', files.file('some')]);
    await sluice([...source, '--out', files.file('all'), '--all']);
    expect((await rows(files.file('some'))).map(({ messageId }) => Number(messageId) % 8)).toEqual(
      Array.from({ length: 5 }, () => [2, 5, 6, 7]).flat(),
    );
    expect(await rows(files.file('all'))).toHaveLength(40);
  });

  it('writes identical bytes in two runs, replacing existing files', async () => {
    const out = files.file('twice');
    const contents = async () => [
      await readFile(`${out}/decisions.ndjson`, 'utf8'),
      await readFile(`${out}/summary.json`, 'utf8'),
    ];
    await mkdir(out);
    await writeFile(`${out}/summary.json`, 'an older one');
    await sluice(['audit', '--out', out, '--quiet', '--force'], { env });
    const first = await contents();
    const { stdout } = await sluice(['audit', '--out', out, '--json', '--quiet'], { env });
    expect(await contents()).toEqual(first);
    expect(stdout).toBe(first[1]);
    expect(stdout).not.toMatch(/127\.0\.0\.1|took|Ms"/);
  });

  it('keeps permissions of existing files, and may be a link itself', async () => {
    const out = files.file('linked');
    await mkdir(files.file('behind'));
    await symlink('behind', out);
    for (const name of ['decisions.ndjson', 'summary.json']) await writeFile(`${out}/${name}`, 'old', { mode: 0o600 });
    expect((await sluice([...fromFiles(), '--out', out, '--quiet', '--force'])).code).toBe(0);
    expect(await rows(files.file('behind'))).toHaveLength(40);
    for (const name of ['decisions.ndjson', 'summary.json'])
      expect((await stat(`${out}/${name}`)).mode & 0o777).toBe(0o600);
    expect(await readlink(out)).toBe('behind');
    expect(await readdir(out)).toHaveLength(3);
  });

  it('fails for a path that is not a directory before the first request', async () => {
    const taken = files.file('rule-set.json');
    const { code, stderr } = await sluice(['audit', '--base-url', 'http://127.0.0.1:9/v3', '--out', taken], { env });
    expect([code, stderr]).toEqual([
      2,
      `sluice: cannot write into \`${taken}\`: a part of the path is not a directory\n`,
    ]);
  });

  it('keeps the files of an earlier run when no message was judged', async () => {
    const out = files.file('kept');
    await sluice([...fromFiles(), '--out', out, '--quiet']);
    const before = await readFile(`${out}/summary.json`, 'utf8');
    const broken = files.file('broken.ndjson');
    await writeFile(broken, 'no json\n');
    const { code } = await sluice([
      'audit',
      '--rules',
      files.file('rule-set.json'),
      '--messages',
      broken,
      '--out',
      out,
      '--quiet',
      '--force',
    ]);
    expect(code).toBe(3);
    expect(await readFile(`${out}/summary.json`, 'utf8')).toBe(before);
    expect(await readdir(out)).toHaveLength(3);
  });
});

describe('audit of messages whose times or shapes are unusual', () => {
  const fromRows = (rows: readonly unknown[], ...args: readonly string[]) => {
    const stdin = rows.map((row) => `${JSON.stringify(row)}\n`);
    return sluice(['audit', '--rules', files.file('rule-set.json'), '--messages', '-', ...args], { stdin });
  };
  const at = (sentAt: number | undefined, text = 'hello') => ({ sentAt, data: { text } });
  /** The last second of 1 March 2026. */
  const last = 1_772_409_599;

  it('`--until` takes in the whole of its last second, `--since` its first', async () => {
    const rows = [at(last - 0.5), at(last), at(last + 0.5), at(last + 0.999), at(last + 1)];
    const count = async (...filters: string[]) =>
      JSON.parse((await fromRows(rows, ...filters, '--json', '--quiet')).stdout).messages;
    expect(await count('--until', '2026-03-01')).toBe(4);
    expect(await count('--until', String(last))).toBe(4);
    expect(await count('--since', String(last), '--until', String(last))).toBe(3);
    expect(await count('--since', '2026-03-02')).toBe(1);
  });

  it('says which messages are without a day', async () => {
    // From 10^11 on it is milliseconds; those of the year 9999 are none that a calendar of chats
    // has.
    const rows = [at(last), at(99_999_999_999), at(-5), at(undefined), at(253_402_300_800_000)];
    const { stdout } = await fromRows(rows);
    expect(stdout).toMatch(
      /^without a day: `sentAt` is not in seconds from 1970 to 2199 \(divide milliseconds\n {2}by 1000\): 3 \(60\.0 %\)$/m,
    );
    expect(stdout).toMatch(/^without a day: no `sentAt`: 1 \(20\.0 %\)$/m);
    expect(JSON.parse((await fromRows(rows, '--json')).stdout)).toMatchObject({ undated: { absent: 1, outside: 3 } });
    expect((await fromRows([at(last)])).stdout).not.toContain('without a day');
    expect((await fromRows([at(undefined)])).stdout).not.toContain('without a day');
  });

  it('a row that is not a message is a bad row, with its line and where the text must stand', async () => {
    const rows = [
      at(last),
      { comment: 'damn' },
      { text: 'damn', data: {} },
      { message: { text: 'damn' } },
      ['damn'],
      { text: 'hello', body: 'damn' },
      at(last, 'damn'),
    ];
    const skipped = await fromRows(rows, '--on-bad-row', 'skip', '--json');
    expect([skipped.code, JSON.parse(skipped.stdout)]).toMatchObject([
      0,
      { messages: 2, badRows: { count: 5, first: [{ line: 2 }, { line: 3 }, { line: 4 }, { line: 5 }, { line: 6 }] } },
    ]);
    const stopped = await fromRows(rows, '--quiet');
    const words =
      'the row has no `data.text`, and has no column for the text among `comment`; columns can be mapped: ' +
      '`text=COLUMN,sentAt=COLUMN`, and `sentAt=` leaves one out';
    expect([stopped.code, stopped.stderr]).toEqual([3, `sluice: standard input:2: ${words}\n`]);
    expect(stopped.stderr).not.toContain('damn');
  });

  it('`--compare-platform` says what of the decisions could not be read', async () => {
    const decided = (id: string, moderation: unknown) => ({ id, data: { text: 'hello', moderation } });
    const rows = [
      decided('1', { status: 'disapproved', rule: 'elsewhere' }),
      decided('2', { status: 'disapproved', rule: ['elsewhere'] }),
      decided('3', 'approved'),
    ];
    const { stdout } = await fromRows(rows, '--compare-platform');
    expect(stdout).toContain('no rule could be read from the `data.moderation.rule` of 1 message');
    expect(stdout).toContain('not compared: 1 whose `data.moderation` says no `status`');
    expect(stdout).toMatch(/^elsewhere +0 +1$/m);
    const none = (await fromRows(rows.slice(2), '--compare-platform')).stdout;
    expect(none).toMatch(/1 message with a `data\.moderation` that says no `status`, so there is nothing to\s+compare/);
  });
});

describe('audit of texts that cannot be read', () => {
  const fromRows = (rows: readonly unknown[], ...args: readonly string[]) => {
    const stdin = rows.map((row) => `${JSON.stringify(row)}\n`);
    return sluice(['audit', '--rules', files.file('rule-set.json'), '--messages', '-', ...args], { stdin });
  };
  const unreadable = { id: '1', data: { text: { en: 'damn' } } };

  it('counts them in the summary and on the screen', async () => {
    const rows = [unreadable, { id: '2', data: { text: 'damn' } }];
    const { code, stdout } = await fromRows(rows, '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { messages: 2, texts: 2, unreadable: 1 }]);
    expect((await fromRows(rows)).stdout).toMatch(/^text not readable: 1 \(50\.0 %\)$/m);
    expect((await fromRows(rows.slice(1))).stdout).not.toContain('readable');
  });

  it('ends with 3, behind its report, when none of the texts could be read', async () => {
    const words = 'sluice: messages: `data.text` is not a string in any text message (2), so no text was judged\n';
    const rows = [unreadable, { id: '2', type: 'text', data: {} }, { id: '3', type: 'image', data: {} }];
    const { code, stdout, stderr } = await fromRows(rows, '--json', '--quiet');
    expect([code, stderr]).toEqual([3, errorLine + words]);
    expect(JSON.parse(stdout)).toMatchObject({ messages: 3, texts: 2, unreadable: 2 });
    expect((await fromRows(rows.slice(2), '--quiet')).code).toBe(0);
  });
});

describe('stopped audit', () => {
  const partOf = async (count: number, controller: AbortController) => {
    const rows = messages(40).map((row) => `${JSON.stringify(row)}\n`);
    async function* stdin() {
      yield rows.slice(0, count).join('');
      // The next chunk is pulled only after these lines have been judged; it never comes.
      setImmediate(() => controller.abort(new Error('interrupted')));
      await new Promise(() => undefined);
    }
    const out = files.file(`stopped-${count}`);
    const args = ['audit', '--messages', '-', '--out', out];
    return { out, ...(await sluice(args, { env, stdin: stdin(), interrupted: controller.signal })) };
  };

  it('reports the messages judged so far, on the screen and in the files', async () => {
    const { code, stdout, stderr, out } = await partOf(10, new AbortController());
    expect(code).toBe(130);
    expect(stderr).not.toContain('bug');
    const screen = withoutPort(stdout.replaceAll(files.directory, 'DIRECTORY'));
    await expect(screen).toMatchFileSnapshot('../golden/cli/audit-interrupted.txt');
    const report = JSON.parse(await readFile(`${out}/summary.json`, 'utf8'));
    const whole = files.file('first-ten.ndjson');
    await writeFile(
      whole,
      messages(10)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    const complete = await sluice(['audit', '--messages', whole, '--json', '--quiet'], { env });
    expect({ ...report, partial: false, input: JSON.parse(complete.stdout).input }).toEqual(
      JSON.parse(complete.stdout),
    );
    expect((await readFile(`${out}/decisions.ndjson`, 'utf8')).trimEnd().split('\n')).toHaveLength(10);
  });

  it('reports nothing before the first message', async () => {
    const { code, stdout, stderr, out } = await partOf(0, new AbortController());
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/sluice: interrupted\n$/);
    expect(await readdir(out)).toEqual([]);
  });

  it('reports the messages before a malformed line', async () => {
    const stdin = [...messages(10).map((row) => `${JSON.stringify(row)}\n`), '{"text":"very private"\n'];
    const args = ['audit', '--rules', files.file('rule-set.json'), '--messages', '-', '--json'];
    const { code, stdout, stderr } = await sluice(args, { stdin });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ partial: true, messages: 10 });
    expect(stderr).toMatch(
      /\nsluice: standard input:11: the whole line must be json; at column 23, `,` or `}` was expected\n$/,
    );
  });

  it('reports the messages before a failure of the platform', async () => {
    const whole = await startService({ data: world(1000) });
    onTestFinished(() => whole.close());
    let pages = 0;
    const failing = await serve(async (response, { target }) => {
      if (target.includes('/messages') && !target.includes('affix=prepend')) pages += 1;
      if (pages > 3) return json(response, { error: { code: 'AUTH_ERR_NO_ACCESS' } }, 403);
      const answer = await fetch(new URL(target.replace('limit=1000', 'limit=100'), whole.url), {
        headers: { apikey: whole.apiKey },
      });
      json(response, await answer.json());
    });
    const args = ['audit', '--json', '--quiet', '--base-url', failing.url];
    const { code, stdout, stderr } = await sluice(args, { env: { SLUICE_API_KEY: whole.apiKey } });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^sluice: .*GET \/messages.*\n$/);
    expect(stderr).not.toContain(whole.apiKey);
    expect(JSON.parse(stdout)).toMatchObject({ partial: true, messages: 300 });
  });
});
