/** Moderators over a file and over a folder that are replaced in every way, broken and removed, under constant decisions. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../../fixtures/random.js';
import { createFileSource, createModerator, type Moderator } from '../../src/index.js';
import { settled } from '../promises/reload.js';
import { openFiles, switchFolder, waysOfReplacing } from '../support/replaced-files.js';
import { figuresOf, type Soak } from './figure.js';

const byList = { operand: 'text', isKeywordsReferencePresent: true, value: ['changing'] };
const rules = [
  { id: 'always', action: ['dropMessage'], conditions: [{ operand: 'text', value: ['darn'] }] },
  { id: 'changing', action: ['blockMessage'], conditions: [byList] },
];
/** The terms of a round; the last one shows that a file is whole. */
const termsOf = (round: number) => [...Array.from({ length: 50 }, (_, at) => `filler ${round} ${at}`), `word${round}`];
const fileOf = (round: number) =>
  JSON.stringify({ rules, lists: [{ id: 'changing', searchTerms: termsOf(round) }] }, null, 2);
const listOf = (round: number) => `${termsOf(round).join('\n')}\n`;
const rulesOfFolder = JSON.stringify({ rules, lists: [{ id: 'changing' }] });

/** What is not a rule set, and stays for a while. */
const broken = ['', '{"rules": [', '{"rules": [], ', 'null', '{"rules": [{"id": "r"}], "lists": []}', '\ufffd\u0000'];

async function asFolder(folder: string, round: number): Promise<void> {
  await mkdir(join(folder, 'lists'), { recursive: true });
  await writeFile(join(folder, 'lists', 'changing.txt'), listOf(round));
  await writeFile(join(folder, 'rules.json'), rulesOfFolder);
}

export const replacedRules: Soak = async (until) => {
  const seed = Date.now() % 1_000_000;
  const random = createRandom(seed, 'files');
  const root = await mkdtemp(join(tmpdir(), 'sluice-soak-rules-'));
  const [file, folder] = [join(root, 'rules.json'), join(root, 'folder')];
  await writeFile(file, fileOf(0));
  await switchFolder(folder, (next) => asFolder(next, 0));
  let [decisions, wrong, replacements, breaks, said, isOver] = [0, 0, 0, 0, 0, false];
  let latest = 0;
  const followers: { moderator: Moderator; round: number; reloads: number }[] = [];
  for (const path of [file, folder]) {
    const moderator = await createModerator({ source: createFileSource(path) });
    const follower = { moderator, round: 0, reloads: 0 };
    moderator.on('refresh', ({ outcome }) => {
      follower.reloads += Number(outcome === 'changed');
    });
    followers.push(follower);
  }
  /** Every decision is by one of the rule sets that were written, whole. */
  const deciding = (async () => {
    while (!isOver) {
      for (const { moderator, round } of followers) {
        const { verdict, matched } = moderator.explain(`oh darn it, word${round - 1} word${round} word${round + 1}`);
        const words = matched.flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches)).length;
        // The word of one round, and the one that always stands.
        if (verdict !== 'dropMessage' || words !== 2) wrong += 1;
        decisions += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const files = await openFiles();
  let heap = 0;
  while (Date.now() < until) {
    const which = random.pick([0, 1] as const);
    const follower = followers[which]!;
    const target = which === 0 ? file : join(folder, 'lists', 'changing.txt');
    if (random.pick([0, 1, 2, 3]) === 0) {
      // A text that is not a rule set is said, and leaves the rules in use; of a folder, its file of rules.
      const path = which === 0 ? file : join(folder, 'rules.json');
      await waysOfReplacing['renamed over']!(path, random.pick(broken));
      breaks += 1;
      const startedAt = performance.now();
      while (follower.moderator.status.state !== 'stale' && performance.now() - startedAt < 10_000) await pause(20);
      if (follower.moderator.status.lastError?.message.includes(root) === true) said += 1;
      if (which === 1) await waysOfReplacing.rewritten!(path, rulesOfFolder);
    }
    const next = follower.round + 1;
    const way = random.pick([...Object.keys(waysOfReplacing), 'switched folder'] as const);
    if (which === 1 && way === 'switched folder') await switchFolder(folder, (empty) => asFolder(empty, next));
    else await (waysOfReplacing[way] ?? waysOfReplacing.rewritten)!(target, which === 0 ? fileOf(next) : listOf(next));
    const startedAt = performance.now();
    replacements += 1;
    follower.round = next;
    while (follower.moderator.decide(`word${next}`) !== 'blockMessage' && Date.now() < until + 10_000) await pause(5);
    latest = Math.max(latest, performance.now() - startedAt);
    await pause(random.pick([0, 0, 30, 300]));
    if (replacements === 100) heap = (await settled()).heap;
  }
  isOver = true;
  await deciding;
  const left = (await settled()).heap - heap;
  const open = await openFiles();
  for (const { moderator } of followers) await moderator.close();
  await rm(root, { recursive: true });
  const reloads = followers.reduce((all, follower) => all + follower.reloads, 0);
  const figure = figuresOf('P9');
  return [
    figure(`rules replaced in every way, seed ${seed}`, replacements, 'times', replacements > 0),
    figure('taken', reloads, 'reloads', reloads >= replacements),
    figure('longest until they decided', Math.round(latest), 'ms', latest <= 2_000),
    figure('broken files', breaks, 'files', true),
    figure('of them said with their path', said, 'files', said === breaks),
    figure('decisions meanwhile', decisions, 'decisions', decisions > replacements),
    figure('wrong', wrong, 'decisions', wrong === 0),
    ...(files === undefined || open === undefined
      ? []
      : [figure('files left open', Math.max(0, open - files), 'files', open <= files + 4)]),
    ...(replacements <= 100
      ? []
      : [figure('heap each', Math.round(left / (replacements - 100)), 'B', left / (replacements - 100) < 2_000)]),
  ];
};
