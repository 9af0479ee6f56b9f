/** Audits over a queue whose workers, database, platform and audit are killed at random moments: every byte is compared. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../fixtures/random.js';
import { type Broker, type BrokerKind, freePort, programOf, startBroker } from '../fleet/brokers.js';
import { type AuditCase, contentsOf, differences, makeCase, type Running, start } from './audit-case.js';
import type { Figure, Soak } from './figure.js';

/** The first second of the messages of a case. */
const since = 1_772_323_200;
/** Longer than a lock of the queue lives: what was stopped for so long has lost its windows. */
const longPauseMs = 12_000;
/** Nothing that is disturbed takes longer once it is left alone. */
const patienceMs = 180_000;
const apiKey = 'fleet-key-that-nobody-prints';

/** By what was done to what. */
type Counts = Map<string, number>;

/** A process that is started again whenever it is gone, until it ends by itself. */
class Standing {
  readonly #start: () => Running;
  readonly #isDone: (code: number) => boolean;
  #running: Running;
  #isStopped = false;
  /** The exit code that ends it; the words of a process that should not have ended so. */
  readonly ended: Promise<string | undefined>;

  constructor(begin: () => Running, isDone: (code: number) => boolean) {
    this.#start = begin;
    this.#isDone = isDone;
    this.#running = begin();
    this.ended = this.#keep();
  }

  /** Ends it for good. */
  stop(): void {
    this.#isStopped = true;
    this.signal('SIGKILL');
  }

  signal(name: NodeJS.Signals): void {
    this.#running.child.kill(name);
  }

  async #keep(): Promise<string | undefined> {
    for (;;) {
      const { ended, stderr } = this.#running;
      const code = await ended;
      if (/bug in sluice|[Uu]nhandled/.test(stderr()) || stderr().includes(apiKey)) return stderr();
      if (typeof code === 'number' && this.#isDone(code)) return undefined;
      // Killed or interrupted, or the platform or the queue was away: whatever runs it starts it again.
      if (typeof code === 'number' && ![4, 130].includes(code)) return `code ${code}: ${stderr()}`;
      if (code === 4) await sleep(500);
      if (this.#isStopped) return undefined;
      this.#running = this.#start();
    }
  }
}

/** The platform in a process of its own, at an address that stays. */
async function servePlatform({ file }: AuditCase, port: number, faults: readonly string[]): Promise<Running> {
  const args = ['serve', '--json', '--port', String(port), '--data', file('data'), ...faults];
  const service = start(args, { SLUICE_API_KEY: apiKey });
  await service.announced;
  return service;
}

function faultsOf(random: Random): readonly string[] {
  const faults = [
    `latency=${random.int(5, 120)}`,
    'status=503,rate=0.05',
    'reset,rate=0.03',
    'reset=body,rate=0.02',
    'duplicate-page,rate=0.1',
    'reorder-page,rate=0.2',
  ];
  const chosen = [faults[0]!, ...random.sample(faults.slice(1), 3)].map((fault) => `${fault},path=/messages`);
  return ['--fault', chosen.join(';'), '--fault-seed', String(random.int(0, 1_000))];
}

/** One audit; says what is wrong with it. */
async function disturb(seed: number, kind: BrokerKind, counts: Counts): Promise<string | undefined> {
  const random = createRandom(seed, kind);
  const audited = await makeCase(seed, random.int(1_000, 4_000));
  const port = await freePort();
  const env = { SLUICE_BASE_URL: `http://127.0.0.1:${port}/v3`, SLUICE_API_KEY: apiKey };
  const until = random.chance(300) ? ['--until', String(since + random.int(0, 20_000))] : [];
  const audit = ['audit', ...audited.ofPlatform, '--since', String(since), ...until];
  let broker: Broker | undefined;
  let service = await servePlatform(audited, port, []);
  const standing: Standing[] = [];
  try {
    const alone = start([...audit, '--out', audited.file('whole')], env);
    if ((await alone.ended) !== 0) return `alone: ${alone.stderr()}`;
    const whole = await contentsOf(audited.file('whole'));
    const faults = faultsOf(random);
    const killService = async () => {
      service.child.kill('SIGKILL');
      await service.ended;
    };
    await killService();
    service = await servePlatform(audited, port, faults);
    const queue = await startBroker(kind);
    broker = queue;
    const fleet = { ...env, SLUICE_QUEUE: queue.url };
    const out = audited.file('out');
    const pages = ['--page-size', String(random.int(40, 300))];
    const coordinator = new Standing(
      () => start([...audit, '--out', out], fleet),
      (code) => code === 0,
    );
    const workers = Array.from({ length: random.int(1, 4) }, () => {
      const options = ['--quiet', '--concurrency', String(random.int(1, 6)), ...pages];
      return new Standing(
        () => start(['worker', '--out', out, ...options], fleet),
        (code) => code === 0,
      );
    });
    standing.push(coordinator, ...workers);
    const days: readonly (readonly [() => Promise<void> | void, string, number])[] = [
      [() => random.pick(workers).signal('SIGKILL'), 'workers killed', 6],
      [() => random.pick(workers).signal('SIGTERM'), 'workers interrupted', 2],
      [() => coordinator.signal('SIGKILL'), 'audits killed', 4],
      [() => coordinator.signal('SIGTERM'), 'audits interrupted', 1],
      [
        async () => {
          await queue.kill();
          await sleep(random.int(0, 3_000));
          await queue.start();
        },
        `${kind} killed`,
        3,
      ],
      [
        async () => {
          await killService();
          await sleep(random.int(0, 2_000));
          service = await servePlatform(audited, port, faults);
        },
        'platforms killed',
        2,
      ],
      [
        async () => {
          const paused = random.pick(workers);
          paused.signal('SIGSTOP');
          await sleep(random.chance(500) ? longPauseMs : 500);
          paused.signal('SIGCONT');
        },
        'workers stopped for a while',
        1,
      ],
    ];
    let isOver = false;
    const over = Promise.all(standing.map(({ ended }) => ended)).then((faulty) => {
      isOver = true;
      return faulty.find((words) => words !== undefined);
    });
    for (let left = random.int(2, 10); left > 0; left--) {
      await Promise.race([over, sleep(random.int(0, 2_500))]);
      if (isOver) break;
      const [act, name] = random.weighted(days.map((day) => [day, day[2]] as const));
      await act();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    // Workers wait for an audit that has failed.
    const failed = new Promise<string>((resolve) => {
      for (const { ended } of standing) void ended.then((words) => words !== undefined && resolve(words));
    });
    const words = await Promise.race([over, failed, sleep(patienceMs, 'not over in time', { ref: false })]);
    if (words !== undefined) return words;
    const different = differences(whole, await contentsOf(out));
    return different.length === 0 ? undefined : `${different.join(', ')} differ`;
  } finally {
    for (const process of standing) process.stop();
    service.child.kill('SIGKILL');
    await Promise.all(standing.map(({ ended }) => ended));
    await broker?.remove();
    await rm(audited.file('out'), { recursive: true, force: true });
    await audited.remove();
  }
}

export const killedFleets: Soak = async (until) => {
  const kinds = (['redis', 'postgres'] as const).filter((kind) => programOf(kind) !== undefined);
  const counts: Counts = new Map();
  const first = Date.now() % 1_000_000;
  let [rounds, wrong] = [0, 0];
  for (let seed = first; kinds.length > 0 && (seed === first || Date.now() < until); seed++) {
    for (const kind of kinds) {
      const fault = await disturb(seed, kind, counts);
      rounds += 1;
      if (fault === undefined) continue;
      wrong += 1;
      process.stderr.write(`seed ${seed}, ${kind}: ${fault}\n`);
    }
  }
  const figure = (what: string, value: number, unit: string, held: boolean): Figure => {
    return { promise: 'P19', what: `audits over a queue: ${what}`, figure: value, unit, held };
  };
  return [
    figure(`let through, seeds from ${first}`, rounds, 'audits', rounds > 0),
    ...[...counts].map(([what, value]) => figure(what, value, 'times', true)),
    figure('other bytes, or not through', wrong, 'audits', wrong === 0),
  ];
};
