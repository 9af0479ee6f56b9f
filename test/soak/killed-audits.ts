/**
 * Audits that are killed, or interrupted, at random moments, over and over, and then let through:
 * every byte is compared with an undisturbed run.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../fixtures/random.js';
import { contentsOf, differences, makeCase, serve, start } from './audit-case.js';
import { figuresOf, type Soak } from './figure.js';

/** The exit code of a command that was interrupted. */
const interruptedCode = 130;
/** Messages of an audit: a dozen shards, so that most kills meet some that are kept. */
const messages = 60_000;
/** Kills before an audit is let through. */
const mostKills = 6;
/** Audits of one case. */
const trials = 12;

interface Counts {
  kills: number;
  audits: number;
  wrong: number;
}

/** Kills one audit some times, lets it through, and says what is wrong with its directory; nothing when it is as it should be. */
async function disturb(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { out, fullMs, random, whole }: { out: string; fullMs: number; random: Random; whole: ReadonlyMap<string, Buffer> },
  counts: Counts,
): Promise<string | undefined> {
  const times: number[] = [];
  for (let left = random.int(1, mostKills); left > 0; left--) {
    const after = random.int(0, fullMs);
    times.push(after);
    const { child, ended, stderr } = start([...args, '--out', out], env);
    await Promise.race([ended, sleep(after)]);
    // Most are killed; the others are interrupted, and write what they have.
    const signal = random.pick(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM'] as const);
    child.kill(signal);
    const end = await ended;
    if (end === signal || end === interruptedCode) counts.kills += 1;
    else if (end !== 0) return `code ${end} after ${times.join(', ')} ms: ${stderr().trim()}`;
    // It was through before its time; it is killed no more.
    else break;
  }
  const { ended, stderr } = start([...args, '--out', out], env);
  const code = await ended;
  counts.audits += 1;
  if (code !== 0) return `code ${code} behind ${times.join(', ')} ms: ${stderr().trim()}`;
  const different = differences(whole, await contentsOf(out));
  return different.length === 0 ? undefined : `${different.join(', ')} differ behind ${times.join(', ')} ms`;
}

async function killCase(seed: number, source: 'file' | 'service', until: number, counts: Counts): Promise<void> {
  const audited = await makeCase(seed, messages);
  const service = source === 'service' ? await serve(audited) : undefined;
  try {
    const random = createRandom(seed, 'kills');
    const threads = source === 'file' ? ['--threads', String(random.int(0, 2))] : [];
    const address = service === undefined ? [] : ['--base-url', service.url];
    const args = ['audit', ...(service === undefined ? audited.ofFile : audited.ofPlatform), ...threads, ...address];
    const startedAt = performance.now();
    const undisturbed = start([...args, '--out', audited.file('whole')], service?.env);
    if ((await undisturbed.ended) !== 0) throw new Error(`seed ${seed}: ${undisturbed.stderr()}`);
    const fullMs = Math.ceil(performance.now() - startedAt);
    const whole = await contentsOf(audited.file('whole'));
    for (let trial = 0; trial < trials && (trial === 0 || Date.now() < until); trial++) {
      const out = audited.file(`out-${trial}`);
      const fault = await disturb(args, service?.env ?? {}, { out, fullMs, random, whole }, counts);
      if (fault !== undefined) {
        counts.wrong += 1;
        process.stderr.write(`seed ${seed}, ${source}, ${args.join(' ')}: ${fault}\n`);
      }
      await rm(out, { recursive: true, force: true });
    }
  } finally {
    await service?.close();
    await audited.remove();
  }
}

export const killedAudits: Soak = async (until) => {
  const counts = { file: { kills: 0, audits: 0, wrong: 0 }, service: { kills: 0, audits: 0, wrong: 0 } };
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed === first || Date.now() < until; seed++) {
    const half = Date.now() + (until - Date.now()) / 2;
    await killCase(seed, 'file', half, counts.file);
    await killCase(seed, 'service', until, counts.service);
  }
  return (['file', 'service'] as const).flatMap((source) => {
    const { kills, audits, wrong } = counts[source];
    const figure = figuresOf('P19');
    return [
      figure(`audits of a ${source}: killed or interrupted, seeds from ${first}`, kills, 'kills', kills > 0),
      figure(`audits of a ${source}: let through`, audits, 'audits', audits > 0),
      figure(`audits of a ${source}: other bytes, or not through`, wrong, 'audits', wrong === 0),
    ];
  });
};
