import { readFile, writeFile } from 'node:fs/promises';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { textWidth } from '../../src/cli/terminal/text.js';
import { version } from '../../src/foundation/version.js';
import type { Rule, RuleSetDiff } from '../../src/index.js';
import { expectPlainScreens, sluice } from './terminal.js';
import { messages, openWorld } from './world.js';

/**
 * The world's rules with a change: a term less and one more with hostile signs, a rule off, a
 * threshold moved.
 */
async function changedRules(path: string): Promise<string> {
  const { rules, lists } = JSON.parse(await readFile(path, 'utf8'));
  const change = (rule: Rule): Rule => {
    if (rule.id === 'scam') return { ...rule, enabled: false };
    if (rule.id === 'email_filter')
      return { ...rule, action: 'dropMessage', name: 'Mail | <b>addresses</b> of @everyone' };
    if (rule.id !== 'gore') return rule;
    return {
      ...rule,
      conditions: rule.conditions.map((condition) => ({ ...condition, value: 'gore_greaterThan_10' })),
    };
  };
  const added = {
    id: 'greetings',
    name: 'Greetings `and` [more](http://x.example)\n# title',
    action: ['blockMessage'],
    conditions: [{ id: 1, operand: 'text', value: ['hello there', '笨蛋', 'a|b `c` <script> @all'] }],
  };
  return JSON.stringify({ rules: [...rules.map(change), added], lists: lists.slice(0, 1) });
}

const { files, env } = await openWorld();
await writeFile(files.file('new.json'), await changedRules(files.file('rule-set.json')));
const sides = ['--rules', files.file('new.json'), '--against', files.file('rule-set.json')];
const hostile = { id: '|@x', data: { text: 'see a|b `c` <script> @all\n# no' } };
const rows = [...messages(40), hostile].map((row) => `${JSON.stringify(row)}\n`);
await writeFile(files.file('hostile.ndjson'), rows.join(''));
const judged = [...sides, '--messages', files.file('hostile.ndjson'), '--scores', files.file('scores.json')];

/** A screen without the version, which a release changes. */
const unversioned = (screen: string) =>
  screen.replaceAll(version, 'VERSION').replaceAll(version.replaceAll('.', '&#46;'), 'VERSION');
/** What is said of the errors of both sides where no screen is printed. */
const errorLines =
  'sluice: 1 error in the new rules: broken#1[0]: pattern was rejected: missing closing ] of a character class; more by sluice lint\n' +
  'sluice: 2 errors in the old rules, 1 of them not in the new: scam#1[1] → lost-list: keyword list is missing: http 404; ' +
  'broken#1[0]: pattern was rejected: missing closing ] of a character class; more by sluice lint\n';
const diffOf = async (args: readonly string[]): Promise<RuleSetDiff> =>
  JSON.parse((await sluice(['diff', ...args, '--json', '--quiet'], { env })).stdout);

describe('sluice diff', () => {
  it('judges messages of a file by two rule sets, and prints what diffRuleSets returns', async () => {
    const { code, stdout, stderr } = await sluice(['diff', ...judged, '--json']);
    expect([code, stderr]).toEqual([0, `judging messages by two rule sets\n${errorLines}`]);
    const diff: RuleSetDiff = JSON.parse(stdout);
    expect(diff).toMatchObject({ messages: 41, newlyStopped: 7, released: 5, changed: 5, reasonOnly: 5 });
    expect(diff.causes.map(({ kind, ruleId }) => `${kind} ${ruleId}`)).toEqual([
      'newlyStopped greetings',
      'newlyStopped gore',
      'newlyStopped greetings',
      'released scam',
      'changed email_filter',
      'reasonOnly greetings',
    ]);
    expect(diff.receipt).toEqual({
      rules: expect.stringMatching(/^[0-9a-f]{32}$/),
      against: expect.stringMatching(/^[0-9a-f]{32}$/),
      messages: expect.stringMatching(/^[0-9a-f]{32}$/),
      semantics: { rules: {}, against: {} },
      engine: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect((await sluice(['diff', ...judged, '--json'])).stdout).toBe(stdout);
  });

  it('gives the same for messages of a platform, of the file that pull keeps, and of standard input', async () => {
    const kept = files.file('kept.ndjson');
    await sluice(['pull', '--messages', kept], { env });
    const [fromPlatform, fromFile] = [await diffOf(sides), await diffOf([...sides, '--messages', kept])];
    expect(fromPlatform.messages).toBe(40);
    expect(fromFile).toEqual(fromPlatform);
    const stdin = [await readFile(kept)];
    const piped = await sluice(['diff', ...sides, '--messages', '-', '--json'], { stdin });
    expect(JSON.parse(piped.stdout)).toEqual(fromPlatform);
  });

  it('takes the rules of the platform with --live for the side that has no file', async () => {
    const asNew = await diffOf(['--rules', files.file('new.json'), '--live']);
    const asOld = await diffOf(['--against', files.file('new.json'), '--live']);
    expect(asNew.newlyStopped).toBeGreaterThan(0);
    expect([asOld.newlyStopped, asOld.released]).toEqual([asNew.released, asNew.newlyStopped]);
    expect([asOld.receipt.rules, asOld.receipt.against]).toEqual([asNew.receipt.against, asNew.receipt.rules]);
  });

  it('says in words what changed when there are no messages', async () => {
    const { code, stdout, stderr } = await sluice(['diff', ...sides]);
    expect([code, stderr]).toEqual([0, '']);
    await expect(unversioned(stdout)).toMatchFileSnapshot('../golden/cli/diff-rules-only.txt');
    const same = ['--rules', files.file('new.json'), '--against', files.file('new.json')];
    const { stdout: equal } = await sluice(['diff', ...same]);
    expect(equal).toMatch(/^the rule sets are equal\n/);
    expect(Object.keys(JSON.parse((await sluice(['diff', ...sides, '--json'])).stdout))).toEqual([
      'changes',
      'errors',
      'revision',
      'receipt',
    ]);
  });

  it('applies filters, and says how many messages review has an outcome for', async () => {
    const filtered = await diffOf([...sides, '--conversation', 'group_team']);
    expect(filtered.messages).toBe(20);
    const rows = ['{"messageId":"1","outcome":"wrong"}', '{"messageId":"9","outcome":"right"}'];
    await writeFile(files.file('outcomes.ndjson'), `${rows.join('\n')}\n`);
    const counted = await diffOf([...judged, '--labels', files.file('outcomes.ndjson')]);
    expect(counted.outcomes).toMatchObject({ newlyStopped: { wrong: 1, right: 1, unknown: 5 } });
    const { stdout } = await sluice(['diff', ...judged, '--labels', files.file('outcomes.ndjson')], { columns: 120 });
    expect(stdout).toContain('1 were wrongly sent, so stopping them is right; 1 rightly sent');
    // By rule: one that is right is enough, and unsure does not count.
    const labels = [
      ...[
        { messageId: '1', ruleId: 'a', outcome: 'wrong' },
        { messageId: '1', ruleId: 'b', outcome: 'unsure' },
      ],
      ...[
        { messageId: '9', ruleId: 'a', outcome: 'wrong' },
        { messageId: '9', outcome: 'right' },
      ],
      ...[
        { messageId: '17', ruleId: 'a', outcome: 'right' },
        { messageId: '17', outcome: 'unsure' },
      ],
    ];
    await writeFile(files.file('labels.ndjson'), labels.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { outcomes } = await diffOf([...judged, '--labels', files.file('labels.ndjson')]);
    expect(outcomes).toMatchObject({ newlyStopped: { wrong: 1, right: 2, unknown: 4 } });
    await writeFile(
      files.file('bad.ndjson'),
      '{"messageId":"1","outcome":"wrong"}\n{"messageId":"2","outcome":"fine"}\n',
    );
    const bad = await sluice(['diff', ...judged, '--labels', files.file('bad.ndjson'), '--quiet']);
    expect(bad.code).toBe(3);
    expect(bad.stderr).toContain('bad.ndjson:2: `outcome`');
  });

  it('reads a sample that was filled in as labels', async () => {
    const drawn = files.file('sample.csv');
    const draw = ['--rules', files.file('rule-set.json'), ...judged.slice(4), '--allowed', '100', '--draw', drawn];
    expect((await sluice(['precision', ...draw])).code).toBe(0);
    const { data } = Papa.parse<string[]>((await readFile(drawn, 'utf8')).trim());
    // Of all that nothing stopped, the greetings were wrongly sent.
    const filled = data.map((cells) => {
      if (cells[1] !== 'not stopped') return cells;
      return cells.with(3, cells[2] === 'hello there' ? 'wrong' : 'right');
    });
    await writeFile(drawn, Papa.unparse(filled, { delimiter: ';' }));
    const { outcomes, newlyStopped } = await diffOf([...judged, '--labels', drawn]);
    expect([outcomes?.newlyStopped, newlyStopped]).toEqual([{ right: 2, wrong: 5, unknown: 0 }, 7]);
    expect((await sluice(['precision', drawn, '--json'])).code).toBe(0);
  });

  it('ends with 130 when it is interrupted, says how far it came, and prints no part of a diff', async () => {
    const controller = new AbortController();
    async function* stdin() {
      yield messages(10)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('');
      setImmediate(() => controller.abort(new Error('interrupted')));
      await new Promise(() => undefined);
    }
    const args = ['diff', ...sides, '--messages', '-'];
    const { code, stdout, stderr } = await sluice(args, { stdin: stdin(), interrupted: controller.signal });
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/\nstopped after 10 messages; .*\nsluice: interrupted\n$/);
  });

  it('ends with 3 when no text could be read', async () => {
    const stdin = ['{"id":"1","data":{"message":"hello"}}\n'];
    const { code, stdout, stderr } = await sluice(['diff', ...sides, '--messages', '-', '--quiet'], { stdin });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('so no text was judged');
  });
});

describe('gates of sluice diff', () => {
  // Rules with the same error on both sides; those of the world lack a list on one side.
  let even: string[];
  const evenLine =
    'sluice: 1 error in the new rules and in the old: broken#1[0]: pattern was rejected: missing closing ] of a character class; more by sluice lint\n';
  beforeAll(async () => {
    const { rules, lists } = JSON.parse(await readFile(files.file('rule-set.json'), 'utf8'));
    const whole = (rule: Rule) =>
      rule.id === 'scam' ? { ...rule, conditions: [{ ...rule.conditions[0], value: ['scam-list'] }] } : rule;
    await writeFile(files.file('old.json'), JSON.stringify({ rules: rules.map(whole), lists }));
    await writeFile(files.file('even.json'), await changedRules(files.file('old.json')));
    even = ['--rules', files.file('even.json'), '--against', files.file('old.json'), ...judged.slice(4)];
  });

  it.each<[string[], number]>([
    [['--max-newly-stopped', '7'], 0],
    [['--max-newly-stopped', '6'], 1],
    [['--max-released', '5', '--max-newly-stopped', '10'], 0],
    [['--max-released', '4', '--max-newly-stopped', '10'], 1],
    [['--max-newly-stopped', '17.1%'], 0],
    [['--max-newly-stopped', '17%'], 1],
    [['--fail-on-change'], 1],
  ])('%j end with %i', async (gates, expected) => {
    const { code, stdout } = await sluice(['diff', ...even, ...gates]);
    expect(code).toBe(expected);
    expect(/^closed: /m.test(stdout)).toBe(expected === 1);
    const asJson = await sluice(['diff', ...even, ...gates, '--json']);
    expect([asJson.code, /^closed: /m.test(asJson.stderr)]).toEqual([expected, expected === 1]);
    const quiet = await sluice(['diff', ...even, ...gates, '--quiet']);
    expect(quiet).toEqual({ code: expected, stdout: '', stderr: evenLine });
  });

  const newBroken = 'closed: the new rules have errors that the old ones have not, so no gate can be open\n';
  const oldBroken =
    'closed: the old rules have errors that the new ones have not, so --max-released counts too little\n';
  it.each<[rules: string, against: string, gates: string[], expected: number, words?: string, isJudged?: boolean]>([
    // The new rules lack a list that the old ones have: nothing is newly stopped, which proves
    // nothing.
    ['rule-set.json', 'old.json', ['--max-newly-stopped', '41'], 3, newBroken],
    ['rule-set.json', 'old.json', ['--max-released', '100%'], 3, newBroken],
    ['rule-set.json', 'old.json', ['--fail-on-change'], 3, newBroken],
    ['rule-set.json', 'old.json', ['--fail-on-change'], 3, newBroken, false],
    ['rule-set.json', 'old.json', [], 0],
    ['rule-set.json', 'rule-set.json', ['--max-newly-stopped', '0', '--max-released', '0', '--fail-on-change'], 0],
    // Errors that are mended.
    ['old.json', 'rule-set.json', ['--max-newly-stopped', '41'], 0],
    ['old.json', 'rule-set.json', ['--max-released', '41'], 3, oldBroken],
  ])('of %s against %s with %j end with %i: errors that the other side has not', async (...row) => {
    const [rules, against, gates, expected, words = '', isJudged = true] = row;
    const messages = isJudged ? judged.slice(4) : [];
    const args = ['diff', '--rules', files.file(rules), '--against', files.file(against), ...messages, ...gates];
    for (const form of [[], ['--json'], ['--markdown'], ['--quiet']])
      expect((await sluice([...args, ...form])).code).toBe(expected);
    expect((await sluice([...args, '--json'])).stderr).toContain(words);
    expect((await sluice(args)).stdout.replaceAll('\n  ', ' ')).toContain(words);
  });

  it('know an error that stands in another place by its value, and a new one in its place', async () => {
    const ruleSet = (...value: string[]) => ({
      rules: [{ id: 'a', conditions: [{ id: 1, operand: 'text', category: 'pattern', value }] }],
      lists: [],
    });
    const diffOfPatterns = async (before: string[], after: string[]) => {
      await writeFile(files.file('before.json'), JSON.stringify(ruleSet(...before)));
      await writeFile(files.file('after.json'), JSON.stringify(ruleSet(...after)));
      const args = ['--rules', files.file('after.json'), '--against', files.file('before.json')];
      return (await diffOf(args)).errors;
    };
    const moved = await diffOfPatterns(['x', '(['], ['([', 'x']);
    expect([moved.rules.length, moved.added, moved.removed]).toEqual([1, [], []]);
    const other = await diffOfPatterns(['x', '(['], ['x', ')(']);
    expect([other.added.length, other.removed.length]).toEqual([1, 1]);
  });

  it.each([['--max-newly-stopped', '0'], ['--max-released', '0'], ['--fail-on-change']])(
    'refuse --semantics without --against-semantics: %s',
    async (...gate) => {
      await writeFile(files.file('sub.json'), '{"words":"substring"}');
      const args = ['diff', ...even, '--semantics', files.file('sub.json')];
      const { code, stdout, stderr } = await sluice([...args, ...gate]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        new RegExp(`^sluice: \`${gate[0]}\` with \`--semantics\` alone would judge the old rules by the new`),
      );
      expect(stderr).toContain('`--against-semantics same`');
      expect((await sluice([...args, ...gate, '--against-semantics', 'same'])).code).toBe(1);
      const { stdout: shown, code: open } = await sluice(args);
      expect(open).toBe(0);
      expect(shown).toContain('\nthe old rules are judged by the readings of --semantics too; --against-semantics');
    },
  );

  it('judge each side by its own readings: a reading that stops more is seen', async () => {
    await writeFile(files.file('sub.json'), '{"words":"substring"}');
    await writeFile(files.file('none.json'), '{}');
    const both = ['--rules', files.file('old.json'), '--against', files.file('old.json'), '--messages', '-'];
    const args = ['diff', ...both, '--semantics', files.file('sub.json'), '--max-newly-stopped', '0'];
    const given = { stdin: ['{"id":"1","data":{"text":"goddamned"}}\n'] };
    const same = await sluice([...args, '--against-semantics', 'same'], given);
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('\nreadings of both: words "substring"\n')]);
    const own = await sluice([...args, '--against-semantics', files.file('none.json')], given);
    const words = 'readings of the new rules: words "substring"; of the old: the defaults';
    expect([own.code, own.stdout]).toEqual([1, expect.stringContaining(`\n${words}\n`)]);
  });

  it('are closed when no message was judged', async () => {
    const { code, stdout } = await sluice(['diff', ...even.slice(0, 4), '--messages', '-', '--max-released', '5']);
    expect(code).toBe(1);
    expect(stdout).toContain('closed: no message was judged');
  });

  it('--fail-on-change passes rule sets that are equal, and sees other readings', async () => {
    const same = [
      '--rules',
      files.file('new.json'),
      '--against',
      files.file('new.json'),
      '--fail-on-change',
      '--quiet',
    ];
    expect((await sluice(['diff', ...same])).code).toBe(0);
    await writeFile(files.file('any.json'), '{"folding":"exact"}');
    await writeFile(files.file('none.json'), '{}');
    const readings = ['--semantics', files.file('any.json'), '--against-semantics', files.file('none.json')];
    expect((await sluice(['diff', ...same, ...readings])).code).toBe(1);
  });
});

describe('diff screen', () => {
  it.each([40, 80, 120, 140])('matches the golden screen of %i columns', async (columns) => {
    const { stdout } = await sluice(['diff', ...judged, '--max-released', '2'], {
      isTTY: true,
      columns,
      env: { NO_COLOR: '1' },
    });
    await expect(unversioned(stdout)).toMatchFileSnapshot(`../golden/cli/diff-${columns}-columns.txt`);
    expect(Math.max(...stdout.split('\n').map(textWidth))).toBeLessThanOrEqual(columns);
  });

  it('has plain screens', async () => {
    await expectPlainScreens((given) => sluice(['diff', ...judged], given), [80]);
  });

  it('--redact shows places and scores, and nothing of a text, on the screen and in the JSON', async () => {
    for (const form of [[], ['--json'], ['--markdown']]) {
      const { stdout } = await sluice(['diff', ...judged, '--redact', ...form]);
      for (const text of ['bob@example', 'see ', 'money here']) expect(stdout).not.toContain(text);
    }
    const { stdout } = await sluice(['diff', ...judged, '--redact']);
    expect(stdout).toMatch(/\d+: characters 16 to 31 of 31/);
    expect(stdout).toContain('24: gore 12');
  });

  it('--top limits what is shown', async () => {
    const { stdout } = await sluice(['diff', ...judged, '--top', '1']);
    expect(stdout).toContain('+2 more causes (--top N)');
    expect((await diffOf(judged)).causes[0]!.examples).toHaveLength(3);
  });
});

describe('diff as Markdown', () => {
  const markdown = async (...args: string[]) => (await sluice(['diff', ...judged, '--markdown', ...args])).stdout;

  it('matches the golden comment, which holds no text of messages', async () => {
    await expect(unversioned(await markdown('--max-released', '2'))).toMatchFileSnapshot(
      '../golden/cli/diff-markdown.md',
    );
  });

  it('holds no sign of a rule or a message that Markdown or a platform would act on', async () => {
    const comment = await markdown();
    // What is left without our own syntax: headings, bullets, table rows, bold, and the few tags.
    const own = /^(?:###|\s*-) |^\|[- :|]+\|$|\*\*|\| | \||<\/?(?:code|b|sub|details|summary)>|&#\d+;/gm;
    const rest = comment.replace(own, '');
    expect(rest).not.toMatch(/[<>`@|*_[\]\\#~$]/);
    expect(comment).toContain('&#64;');
    for (const line of comment.split('\n').filter((text) => text.startsWith('| ') && text.includes('<code>'))) {
      expect(line.split('|')).toHaveLength(5);
    }
    for (const tag of ['code', 'b', 'sub', 'details']) {
      const count = (mark: string) => comment.split(mark).length;
      expect(count(`<${tag}>`)).toBe(count(`</${tag}>`));
    }
  });

  it('fits into a comment whatever the rules and messages hold, with gates and receipt', async () => {
    const value = Array.from({ length: 400 }, (_, index) => `${'|'.repeat(50)}${index}`);
    const many = {
      id: 'm',
      name: '<'.repeat(200),
      action: 'blockMessage',
      conditions: [{ id: 1, operand: 'text', value }],
    };
    await writeFile(files.file('many.json'), JSON.stringify({ rules: [many], lists: [] }));
    await writeFile(files.file('empty.json'), JSON.stringify({ rules: [], lists: [] }));
    const stdin = value.map(
      (text, index) => `${JSON.stringify({ id: String(index), data: { text: `${text} ${'@'.repeat(500)}` } })}\n`,
    );
    const args = ['--rules', files.file('many.json'), '--against', files.file('empty.json'), '--messages', '-'];
    const wide = ['--markdown', '--top', '400', '--max-newly-stopped', '5'];
    const { code, stdout } = await sluice(['diff', ...args, ...wide], { stdin });
    expect(code).toBe(1);
    expect(stdout.length).toBeGreaterThan(30_000);
    expect(stdout.length).toBeLessThanOrEqual(60_000);
    expect(stdout).toContain('The rest was left out');
    expect(stdout).toContain('**closed: 400 newly stopped is over --max-newly-stopped 5**');
    expect(stdout).toContain('receipt: rules');
  });
});
