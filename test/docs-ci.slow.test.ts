/**
 * The commands of docs/rules-in-a-repository.md about CI, run one after the other in a repository
 * as the page wants it, with a branch that changes its rules.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../src/platform/service/index.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/rules-in-a-repository.md'), 'utf8').split(
  /^## Rules under continuous integration$/m,
)[1]!;

/** The first block of code under a heading. */
function blockUnder(heading: string): string {
  return new RegExp(`^### ${heading}$[\\s\\S]*?^\`\`\`\\w+\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)![1]!;
}

/**
 * What a block of YAML has runners run: `run:` of GitHub, items of `script:` of GitLab. What needs
 * the host of the repository is left out.
 */
function commandsOf(block: string): string[] {
  const lines = block.includes('script:')
    ? [...block.slice(block.indexOf('script:')).matchAll(/^ {4}- (.+)$/gm)]
    : [...block.matchAll(/ run: (.+)$/gm)];
  return lines.map(([, command]) => command!).filter((command) => !/^(?:npm ci|gh |'curl )/.test(command));
}

const condition = { operand: 'text', isKeywordsReferencePresent: true, value: ['scam-words'] };
const rules = { rules: [{ id: 'scams', action: ['blockMessage'], conditions: [condition] }] };
const cases = [
  { name: 'money', message: 'free money', verdict: 'blockMessage' },
  { name: 'a swap', message: 'swap a shift on friday?', verdict: 'allow' },
];

describe('docs/rules-in-a-repository.md', () => {
  let service: Service;
  let folder: string;
  let repository: string;
  const write = (name: string, value: unknown) => writeFileSync(join(repository, name), JSON.stringify(value));
  const writeTerms = (...terms: string[]) =>
    writeFileSync(join(repository, 'rules/lists/scam-words.txt'), terms.map((term) => `${term}  # why\n`).join(''));
  const shell = async (command: string, variables: Record<string, string> = {}) => {
    const env = { PATH: process.env.PATH, HOME: folder, npm_config_offline: 'true', ...variables };
    const { stdout } = await run('bash', ['-ec', command], { cwd: repository, env, timeout: 1_800_000 });
    return stdout;
  };
  const platform = () => ({ SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey });

  beforeAll(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), 'sluice-ci-'));
    repository = join(folder, 'repository');
    mkdirSync(join(repository, 'node_modules/.bin'), { recursive: true });
    const command = join(repository, 'node_modules/.bin/sluice');
    writeFileSync(command, `#!/bin/sh\nexec node '${join(root, 'dist/cli/bin.js')}' "$@"\n`, { mode: 0o755 });
    mkdirSync(join(repository, 'rules/lists'), { recursive: true });
    write('package.json', { private: true });
    write('rules/rules.json', rules);
    writeTerms('free money');
    writeFileSync(join(repository, 'cases.ndjson'), cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
    writeFileSync(join(repository, '.gitignore'), 'node_modules\nmessages.ndjson\nold\n');
    await shell(`git init --quiet --bare -b main ../origin && git init --quiet -b main && git remote add origin ../origin
      git config user.name tester && git config user.email tester@example.com
      git add . && git commit --quiet -m base && git push --quiet origin main && git switch --quiet -c change`);
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['GitHub Actions', 4, { GITHUB_BASE_REF: 'main' }],
    ['GitLab', 6, { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' }],
  ])(
    '%s: tests, pulls, compares with the target branch, and fails when the change stops too much',
    async (heading, steps, variables) => {
      const commands = commandsOf(blockUnder(heading));
      expect(commands.length).toBe(steps);
      const all = commands.map((command) => command.replaceAll('2026-05-31', '2026-05-02')).join('\n');
      writeTerms('free money', 'a term that nobody writes');
      await shell(`rm -f messages.ndjson comment.md\n${all}`, { ...platform(), ...variables });
      const comment = () => readFileSync(join(repository, 'comment.md'), 'utf8');
      expect(comment()).toContain('a term that nobody writes');
      // The messages are kept: without a platform it goes on from there.
      writeTerms('free money', 'the');
      const kept = commands.filter((command) => !command.startsWith('npx sluice pull')).join('\n');
      await expect(shell(kept, variables)).rejects.toMatchObject({ code: 1 });
      expect(comment()).toContain('newly stopped');
      // A case that fails ends the job before anything is compared.
      writeTerms('free money', 'swap');
      await expect(shell(`rm comment.md\n${kept}`, variables)).rejects.toMatchObject({ code: 1 });
      expect(existsSync(join(repository, 'comment.md'))).toBe(false);
    },
  );

  it('applies what was merged, and refuses over a change of somebody else', async () => {
    const [apply, keep] = commandsOf(blockUnder('After a merge'));
    const commit = 'git add rules && git commit --quiet --no-verify -m merged';
    writeTerms('free money');
    await shell('npx sluice apply rules --yes', platform());
    writeTerms('free money', 'wire me');
    await shell(`${commit} && ${apply} && ${keep}`, platform());
    expect(await shell('git log -1 --format=%s origin/main')).toBe('Rules as applied\n');
    const live = JSON.parse(await shell('npx sluice pull --out - --quiet', platform()));
    const listed = live.lists.find((list: { id: string }) => list.id === 'scam-words');
    expect(listed.searchTerms).toEqual(['free money', 'wire me']);
    await shell('rm -f rules.before-*.json');
    await fetch(`${service.url}/moderation/keywords/scam-words`, {
      method: 'PUT',
      headers: { apikey: service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ searchTerms: ['theirs'] }),
    });
    writeTerms('free money', 'wire us');
    await expect(shell(`${commit} && ${apply}`, platform())).rejects.toMatchObject({ code: 3 });
  });

  it('the hook refuses a commit whose rules fail their cases, by what is staged', async () => {
    const hook = join(repository, '.git/hooks/pre-commit');
    writeFileSync(hook, blockUnder('Before a commit'));
    chmodSync(hook, 0o755);
    const log = () => shell('git log --format=%s change');
    const before = await log();
    writeTerms('free money', 'swap');
    await expect(shell('git commit --quiet -m wrong rules')).rejects.toMatchObject({
      stderr: expect.stringContaining('a swap'),
    });
    await shell('git add rules');
    writeTerms('free money');
    await expect(shell('git commit --quiet -m wrong')).rejects.toMatchObject({
      stderr: expect.stringContaining('a swap'),
    });
    expect(await log()).toBe(before);
    await shell('git reset --quiet && touch else && git add else && git commit --quiet -m else');
    writeTerms('free money', 'cheap money');
    await shell('git commit --quiet -m right rules');
    expect(await log()).toBe(`right\nelse\n${before}`);
  });
});
