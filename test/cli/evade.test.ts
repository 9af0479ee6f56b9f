import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { readingChoices } from '../../src/engine/semantics.js';
import { disguiseKinds } from '../../src/review/evade/kinds.js';
import { precisionInterval } from '../../src/review/precision-interval.js';
import { sluice } from './terminal.js';
import { worldFiles } from './world.js';

const text = (value: readonly string[], more = {}) => ({ operand: 'text', value, ...more });
const listed = { isKeywordsReferencePresent: true };
const ruleSet = {
  rules: [
    { id: 'insults', action: ['blockMessage'], conditions: [text(['insults', 'other'], listed)] },
    // Of which one applies to members alone, and one to no text.
    {
      id: 'names',
      action: ['dropMessage'],
      conditions: [text(['names'], listed)],
      filters: [{ entity: 'user', type: 'sender', operand: 'role', operator: 'equals', value: 'member' }],
    },
    { id: 'whole', action: ['blockMessage'], conditions: [text(['shut up', 'go away'], { operator: 'equals' })] },
    { id: 'patterns', action: ['blockMessage'], conditions: [text(['\\d{9}'], { category: 'pattern' })] },
    { id: 'inline', action: ['flagMessage'], conditions: [text(['half-wit'])] },
    { id: 'off', enabled: false, action: ['blockMessage'], conditions: [text(['never'])] },
  ],
  lists: [
    { id: 'insults', searchTerms: ['idiot', 'total moron', 'imbécil', 'as', '🤑🤑'] },
    { id: 'other', searchTerms: ['idiot', 'dork'] },
    { id: 'names', searchTerms: ['Dorian'] },
  ],
};
const clean = ['hello there', 'you id1ot', 'an IDIOT', 'half-wit', 'nice day', '1 d i o t'].map((body, id) =>
  JSON.stringify({ id: String(id + 1), sentAt: 1_700_000_000 + id, data: { text: body } }),
);

let files: Awaited<ReturnType<typeof worldFiles>>;
let rules: readonly string[];
beforeAll(async () => {
  files = await worldFiles();
  rules = ['--rules', files.file('evaded.json')];
  await writeFile(files.file('evaded.json'), JSON.stringify(ruleSet));
  await writeFile(files.file('clean.ndjson'), `${clean.join('\n')}\n`);
  await writeFile(files.file('own.json'), JSON.stringify({ words: { lists: { names: { folding: 'exact' } } } }));
  await writeFile(files.file('no-terms.json'), JSON.stringify({ rules: ruleSet.rules.slice(3, 4), lists: [] }));
});
afterAll(() => files.remove());

const evade = (...args: readonly string[]) => sluice(['evade', ...rules, ...args]);
async function reportOf(...args: readonly string[]) {
  const { code, stdout, stderr } = await evade('--json', '--quiet', ...args);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('sluice evade', () => {
  it('is the same bytes for the same seed, and other disguises for another', async () => {
    const runs = await Promise.all([[], [], ['--seed', '1'], ['--seed', '2']].map((args) => evade('--json', ...args)));
    const [first, second, third, other] = runs.map(({ stdout }) => stdout);
    expect([second, third]).toEqual([first, first]);
    expect(other).not.toBe(first);
  });

  it('counts each kind on each list, by each folding, with exact intervals', async () => {
    const report = await reportOf();
    expect(report.lists).toEqual([
      { listId: 'insults', terms: 5, unfound: 0 },
      // The term that it has in common with the list before it is found by that one.
      { listId: 'other', terms: 1, unfound: 0 },
      { listId: 'names', terms: 1, unfound: 0 },
      { listId: null, terms: 1, unfound: 2 },
    ]);
    expect(report.rows.length).toBe(disguiseKinds.length * 4);
    expect(report.kinds.map(({ kind }: { kind: string }) => kind)).toEqual(disguiseKinds.map(({ name }) => name));
    const foldings = ['case', ...readingChoices.folding.toReversed().filter((folding) => folding !== 'case')];
    for (const { kind, made, found, terms, leftOut } of [...report.rows, ...report.kinds]) {
      expect(found.map((share: { folding: string }) => share.folding)).toEqual(foldings);
      for (const { count, low, high, folding, inUse } of found) {
        expect({ low, high }).toEqual(precisionInterval(count, made));
        expect(inUse).toBe(folding === 'case');
      }
      expect(made > 0).toBe(leftOut < terms);
      if (['case', 'underscores', 'emoji', 'hyphen'].includes(kind)) expect(found[0].count).toBe(made);
    }
    for (const { kind, made, leftOut, terms, found } of report.kinds) {
      const rows = report.rows.filter((row: { kind: string }) => row.kind === kind);
      const sum = (count: (row: (typeof rows)[number]) => number) =>
        rows.reduce((all: number, row: never) => all + count(row), 0);
      expect([made, leftOut, terms]).toEqual([
        sum((row) => row.made),
        sum((row) => row.leftOut),
        sum((row) => row.terms),
      ]);
      expect(found[1].count).toBe(sum((row) => row.found[1].count));
    }
    const row = (kind: string, listId: string | null) =>
      report.rows.find((one: { kind: string; listId: unknown }) => one.kind === kind && one.listId === listId);
    expect(row('masked', 'insults')).toMatchObject({ terms: 5, leftOut: 2 });
    expect(row('joined', 'insults')).toMatchObject({ made: 4, leftOut: 4 });
    expect(row('leet', 'other').found[0].count).toBe(0);
  });

  it('makes the same of a kind and a list by themselves, at most as many as it may', async () => {
    const whole = await reportOf();
    const { rows, lists } = await reportOf('--kinds', 'masked,leet', '--list', 'insults', '--list', 'names');
    expect(lists.map(({ listId }: { listId: string }) => listId)).toEqual(['insults', 'names']);
    const chosen = ({ kind, listId }: { kind: string; listId: string }) =>
      ['leet', 'masked'].includes(kind) && ['insults', 'names'].includes(listId);
    expect(rows).toEqual(whole.rows.filter(chosen));
    expect(Math.max(...whole.rows.map(({ made }: { made: number }) => made))).toBeLessThanOrEqual(200);
  });

  it('measures the readings of lists with a folding of their own, and every folding for all', async () => {
    const { rows } = await reportOf('--semantics', files.file('own.json'), '--kinds', 'case');
    const names = rows.find(({ listId }: { listId: string }) => listId === 'names');
    expect(names.found.map(({ folding }: { folding: string }) => folding)).toEqual([
      'lists',
      ...readingChoices.folding.toReversed(),
    ]);
    const counts = new Map(
      names.found.map(({ folding, count }: { folding: string; count: number }) => [folding, count]),
    );
    expect([counts.get('lists'), counts.get('exact'), counts.get('case')]).toEqual([0, 0, names.made]);
  });

  it('counts what each reading stops of clean talk', async () => {
    const { messages } = await reportOf('--kinds', 'case', '--messages', files.file('clean.ndjson'));
    expect(messages.judged).toBe(clean.length);
    for (const { folding, count, low, high } of messages.stopped) {
      const engine = createEngine(ruleSet as never, { folding });
      expect([folding, count]).toEqual([
        folding,
        clean.filter((line) => engine.decide(JSON.parse(line)) !== 'allow').length,
      ]);
      expect({ low, high }).toEqual(precisionInterval(count, clean.length));
    }
    expect(new Set(messages.stopped.map(({ count }: { count: number }) => count)).size).toBe(3);
  });

  it('keeps what passed as cases, which expect what becomes of the plain term', async () => {
    const out = files.file('passed.ndjson');
    await writeFile(out, 'old');
    const { stdout, stderr } = await evade('--out', out, '--force', '--json');
    const lines = (await readFile(out, 'utf8')).trimEnd().split('\n');
    expect(stderr).toContain(`\nwrote ${lines.length.toLocaleString('en-US')} cases to ${out}\n`);
    const report = JSON.parse(stdout);
    // Names are stopped of members alone, and a case has no sender.
    const passed = report.rows
      .filter(({ listId }: { listId: string }) => listId !== 'names')
      .reduce((all: number, { made, found }: never) => all + made - (found as { count: number }[])[0]!.count, 0);
    expect(lines.length).toBe(passed);
    const engine = createEngine(ruleSet as never);
    const terms = new Set(ruleSet.lists.flatMap(({ searchTerms }) => searchTerms));
    for (const line of lines) {
      const { name, message, verdict, rules: ids, todo } = JSON.parse(line);
      const term = /^\d+: [a-z-]+, (.*)$/u.exec(name)![1]!;
      expect(terms.has(term) || term === 'half-wit').toBe(true);
      const plain = engine.explain(term);
      expect([todo, verdict]).toEqual([true, plain.verdict]);
      expect(message.startsWith('well, ') && message.endsWith(' then')).toBe(true);
      expect(engine.explain(message).matched.map(({ ruleId }) => ruleId)).not.toEqual(ids ?? ['inline']);
    }
    const test = await sluice(['test', out, ...rules]);
    expect([test.code, test.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      `0 passed, ${lines.length.toLocaleString('en-US')} todo`,
    ]);
    const again = await stat(out);
    await evade('--out', out);
    expect((await readFile(out, 'utf8')).trimEnd().split('\n')).toEqual(lines);
    expect((await stat(out)).mode).toBe(again.mode);
    const fresh = files.file('fresh.ndjson');
    await evade('--out', fresh, '--kinds', 'leet');
    expect((await stat(fresh)).mode & 0o777).toBe(0o600);
  });

  it.each([40, 80, 140])('has a screen of %i columns', async (columns) => {
    const { code, stdout } = await sluice(
      [
        'evade',
        ...rules,
        '--verbose',
        '--kinds',
        'case,hyphen,leet,spaced,full-width',
        '--messages',
        files.file('clean.ndjson'),
      ],
      {
        columns,
      },
    );
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`../golden/cli/evade-${columns}-columns.txt`);
  });

  it.each([
    [['--kinds', 'leat'], 2, '`--kinds`: did you mean `leet`?'],
    [['--kinds', 'qqqqqq'], 2, '`--kinds`: there are case, apostrophe, '],
    [
      ['--list', 'insult'],
      2,
      '`--list` must be the id of a list of terms that running rules look for; did you mean `insults`?',
    ],
    [['--seed', 'x'], 2, '`--seed` must be a whole number'],
    [['--map', 'text=a'], 2, '`--map` goes with `--messages FILE`'],
    [['--out', '/nowhere/x'], 2, 'cannot write `/nowhere/x`: no such file or directory'],
    [['--messages', '/nowhere/x'], 2, 'cannot read `/nowhere/x`: no such file or directory'],
  ])('refuses %j', async (args, code, words) => {
    const outcome = await evade(...args);
    expect([outcome.code, outcome.stdout]).toEqual([code, '']);
    expect(outcome.stderr).toContain(words);
  });

  it('refuses rules without terms, and no rules at all', async () => {
    const { code, stderr } = await sluice(['evade', '--rules', files.file('no-terms.json')]);
    expect([code, stderr]).toEqual([
      3,
      'sluice: no running rule looks for terms, so that there is nothing to disguise\n',
    ]);
    expect((await sluice(['evade'])).stderr).toContain('no rules; give `--rules FILE`');
  });

  it('ends when it is interrupted, and leaves the file as it was', async () => {
    const out = files.file('kept.ndjson');
    await writeFile(out, 'old');
    const { code } = await sluice(['evade', ...rules, '--out', out], { interrupted: AbortSignal.abort() });
    expect([code, await readFile(out, 'utf8')]).toEqual([130, 'old']);
  });
});
