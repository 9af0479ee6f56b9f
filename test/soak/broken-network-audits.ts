/** Audits of a service through a network that breaks: each command ends with 0 or 4, and the last one has the bytes of an undisturbed run. */
import { rm } from 'node:fs/promises';
import { createRandom } from '../../fixtures/random.js';
import { startBreakingProxy } from '../support/breaking-proxy.js';
import { contentsOf, differences, makeCase, serve, start } from './audit-case.js';
import { figuresOf, type Soak } from './figure.js';

const messages = 30_000;
/** Audits of one case. */
const trials = 6;
/** Commands of one audit; the network is mended before the last one. */
const mostCommands = 12;

interface Counts {
  audits: number;
  commands: number;
  broken: number;
  wrong: number;
}

async function networkCase(seed: number, until: number, counts: Counts): Promise<void> {
  const audited = await makeCase(seed, messages);
  const service = await serve(audited);
  const run = async (url: string, out: string) => {
    const args = ['audit', ...audited.ofPlatform, '--base-url', url, '--out', out];
    const { ended, stderr } = start(args, service.env);
    return { code: await ended, stderr: stderr() };
  };
  try {
    const random = createRandom(seed, 'network');
    const undisturbed = await run(service.url, audited.file('whole'));
    if (undisturbed.code !== 0) throw new Error(`seed ${seed}: ${undisturbed.stderr}`);
    const whole = await contentsOf(audited.file('whole'));
    for (let trial = 0; trial < trials && (trial === 0 || Date.now() < until); trial++) {
      const proxy = await startBreakingProxy(Number(new URL(service.url).port), random, random.int(600, 980));
      const out = audited.file(`out-${trial}`);
      let last: Awaited<ReturnType<typeof run>> = { code: 4, stderr: '' };
      for (let command = 1; command <= mostCommands && last.code === 4; command++) {
        if (command === mostCommands) proxy.mend();
        last = await run(`http://127.0.0.1:${proxy.port}/v3`, out);
        counts.commands += 1;
      }
      await proxy.close();
      counts.broken += proxy.broken();
      counts.audits += 1;
      const different = last.code === 0 ? differences(whole, await contentsOf(out)) : [];
      if (last.code !== 0 || different.length > 0) {
        counts.wrong += 1;
        process.stderr.write(
          `seed ${seed}, trial ${trial}: code ${last.code} ${last.stderr.trim()} ${different.join(', ')}\n`,
        );
      }
      await rm(out, { recursive: true, force: true });
    }
  } finally {
    await service.close();
    await audited.remove();
  }
}

export const auditsOfBrokenNetworks: Soak = async (until) => {
  const counts: Counts = { audits: 0, commands: 0, broken: 0, wrong: 0 };
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed === first || Date.now() < until; seed++) await networkCase(seed, until, counts);
  const figure = figuresOf('P19');
  const of = 'audits of a broken network:';
  return [
    figure(`${of} connections broken, seeds from ${first}`, counts.broken, 'connections', counts.broken > 0),
    figure(`${of} commands`, counts.commands, 'commands', counts.commands > 0),
    figure(`${of} let through`, counts.audits, 'audits', counts.audits > 0),
    figure(`${of} other bytes or another code`, counts.wrong, 'audits', counts.wrong === 0),
  ];
};
