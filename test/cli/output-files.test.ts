import { link, mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { sluice } from './terminal.js';
import { world, worldFiles } from './world.js';

let files: Awaited<ReturnType<typeof worldFiles>>;
beforeEach(async () => {
  files = await worldFiles(20);
});
afterEach(() => files.remove());

const given = () => ['--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')];
const read = (path: string) => readFile(path, 'utf8');

describe('a file of an output option', () => {
  const commands: Readonly<Record<string, (path: string) => string[]>> = {
    precision: (path) => ['precision', ...given(), '--draw', path],
    'pull --out': (path) => ['pull', '--out', path],
    'pull --messages': (path) => ['pull', '--messages', path],
  };

  let platform: Awaited<ReturnType<typeof startService>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    platform = await startService({ data: world(3) });
    env = { SLUICE_BASE_URL: platform.url, SLUICE_API_KEY: platform.apiKey };
  });
  afterAll(() => platform.close());

  it.each(Object.keys(commands))('is refused if it holds something, and replaced with --force: %s', async (name) => {
    const path = files.file('mine.json');
    await writeFile(path, 'my work');
    const refused = await sluice(commands[name]!(path), { env });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `\`${path}\` is there and not empty; choose another file, or add \`--force\` to replace it\n`,
    );
    expect(await read(path)).toBe('my work');
    expect((await sluice([...commands[name]!(path), '--force'], { env })).code).toBe(0);
    const replaced = await read(path);
    expect(replaced).not.toContain('my work');
    await writeFile(path, '');
    expect((await sluice(commands[name]!(path), { env })).code).toBe(0);
    expect(await read(path)).toBe(replaced);
  });

  it('is never one that the command reads, whatever leads to it, not even with --force', async () => {
    const messages = files.file('messages.ndjson');
    const before = await read(messages);
    await symlink('messages.ndjson', files.file('link.ndjson'));
    await link(messages, files.file('hard.ndjson'));
    const handle = await open(messages, 'r+');
    const paths = [
      ...[
        messages,
        join(files.directory, '.', 'messages.ndjson'),
        files.file('link.ndjson'),
        files.file('hard.ndjson'),
      ],
      ...(process.platform === 'linux' ? [`/proc/self/fd/${handle.fd}`, `/dev/fd/${handle.fd}`] : []),
    ];
    try {
      for (const path of paths) {
        const { code, stderr } = await sluice([...commands.precision!(path), '--force']);
        expect([code, stderr]).toEqual([2, expect.stringContaining('which `--messages` reads and is never replaced')]);
        expect(await read(messages)).toBe(before);
      }
    } finally {
      await handle.close();
    }
  });

  it.each(['--rules', '--semantics', '--scores'])('is never that of %s', async (option) => {
    const path = option === '--rules' ? files.file('rule-set.json') : files.file('own.json');
    if (option !== '--rules') await writeFile(path, '{}');
    const before = await read(path);
    const own = option === '--rules' ? [] : [option, path];
    const { code, stderr } = await sluice([...commands.precision!(path), ...own, '--force']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`which \`${option}\` reads`)]);
    expect(await read(path)).toBe(before);
  });

  it('is never a list of a folder of rules, or that of another option', async () => {
    const folder = files.file('folder');
    await mkdir(join(folder, 'lists'), { recursive: true });
    await writeFile(join(folder, 'rules.json'), '{ "rules": [], "lists": [{ "id": "a" }] }');
    const list = join(folder, 'lists/a.txt');
    await writeFile(list, 'term\n');
    const draw = ['precision', '--rules', folder, '--messages', files.file('messages.ndjson'), '--force'];
    expect(await sluice([...draw, '--draw', list])).toMatchObject({ code: 2 });
    expect(await read(list)).toBe('term\n');
    const two = files.file('two.json');
    const pull = await sluice(['pull', '--out', two, '--messages', two], { env });
    expect([pull.code, pull.stderr]).toEqual([2, expect.stringContaining('both write to')]);
  });

  it('is not in the directory of an audit', async () => {
    const audit = ['audit', '--rules', files.file('rule-set.json'), '--messages'];
    const [messages, out] = [files.file('messages.ndjson'), files.file('audit')];
    await mkdir(out);
    const rows = join(out, 'decisions.ndjson');
    await writeFile(rows, await read(messages));
    const { code, stderr } = await sluice([...audit, rows, '--out', out, '--force']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('which `--messages` reads')]);
    expect(await read(rows)).toBe(await read(messages));
    // Beside the results it may be.
    const beside = join(out, 'mine.ndjson');
    await writeFile(beside, await read(messages));
    expect((await sluice([...audit, beside, '--out', out, '--force', '--quiet'])).code).toBe(0);
  });
});

describe('pull --out of a folder, each night', () => {
  const rule = {
    id: 'scams',
    action: ['blockMessage'],
    conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ['words', 'more'] }],
  };
  let service: Awaited<ReturnType<typeof startService>>;
  const serve = async (terms: readonly string[], ...others: readonly string[]) => {
    await service?.close();
    const lists = [{ id: 'words', searchTerms: terms }, ...others.map((id) => ({ id, searchTerms: ['x'] }))];
    service = await startService({ data: { ...world(3), rules: [rule], lists } as never });
  };
  beforeAll(() => serve(['sale']));
  afterAll(() => service.close());
  const pull = (...args: readonly string[]) =>
    sluice(['pull', '--out', files.file('rules'), '--quiet', ...args], {
      env: { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey },
    });
  const list = (name: string) => join(files.file('rules'), 'lists', name);
  const refusal = () => ({
    code: 2,
    stderr: expect.stringMatching(
      /was edited since a rule set was pulled into it.*; choose another directory, or add `--force`/,
    ),
  });

  it('replaces what nobody edited, and keeps comments, readings and lists that are not part of the rules', async () => {
    await serve(['sale']);
    expect(await pull()).toMatchObject({ code: 0, stderr: '' });
    await writeFile(list('words.txt'), '# owner: trust\n\nsale # ticket 7\n');
    await writeFile(join(files.file('rules'), 'semantics.json'), '{ "exceptions": [{ "lists": ["ours"] }] }');
    await writeFile(list('ours.txt'), 'our sale\n');
    await serve(['sale', 'buy now']);
    expect(await pull()).toMatchObject({ code: 0, stderr: '' });
    expect(await read(list('words.txt'))).toBe('# owner: trust\n\nsale # ticket 7\nbuy now\n');
    expect(await read(list('ours.txt'))).toBe('our sale\n');
  });

  it('refuses one with another term, another rule or without a list, and one that it did not write', async () => {
    await serve(['sale']);
    const edits: (() => Promise<unknown>)[] = [
      () => writeFile(list('words.txt'), 'sale\nmine\n'),
      () => writeFile(list('words.txt'), '# name: Mine\nsale\n'),
      async () => {
        const path = join(files.file('rules'), 'rules.json');
        await writeFile(path, (await read(path)).replace('blockMessage', 'dropMessage'));
      },
      async () => {
        const path = join(files.file('rules'), 'rules.json');
        await writeFile(path, JSON.stringify({ ...JSON.parse(await read(path)), note: 'mine' }));
      },
      () => writeFile(join(files.file('rules'), 'rules.json'), '{ "rules": [], "lists": [] }'),
    ];
    for (const edit of edits) {
      expect((await pull('--force')).code).toBe(0);
      await edit();
      const before = [await read(list('words.txt')), await read(join(files.file('rules'), 'rules.json'))];
      expect(await pull()).toMatchObject(refusal());
      expect([await read(list('words.txt')), await read(join(files.file('rules'), 'rules.json'))]).toEqual(before);
    }
    expect((await pull('--force')).code).toBe(0);
    expect((await pull()).code).toBe(0);
  });

  it('refuses to replace a list of somebody that it would bring, also where there are no rules yet', async () => {
    await serve(['sale']);
    expect((await pull()).code).toBe(0);
    await writeFile(list('more.txt'), 'mine\n');
    expect((await pull()).code).toBe(0);
    await serve(['sale'], 'more');
    expect(await pull()).toMatchObject(refusal());
    expect(await read(list('more.txt'))).toBe('mine\n');
  });
});
