import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDropped } from '../corpora/rule-set.js';
import type { Contender, Runner } from '../measure.js';
import type { ModelName } from '../models.js';
import { projectRoot } from '../record.js';
import type { Pass, Workload } from '../rules/contenders.js';
import { escapeTerm } from '../rules/searches.js';

const howToInstall = 'not installed; Debian and Ubuntu: apt-get install -y gcc pkg-config libhyperscan-dev';
const source = join(projectRoot, 'bench/contenders/hyperscan.c');
const cache = join(projectRoot, 'node_modules/.cache/sluice-bench');
const program = join(cache, 'hyperscan');

/**
 * Hyperscan in C, over the same messages as UTF-8 bytes; it times itself. The mode is that of
 * `hyperscan.c`.
 */
export function hyperscan(model: ModelName, ask: Workload['ask']): Contender {
  const mode =
    model === 'words' ? ask : model === 'patterns' || model === 'hostile' ? (ask === 'all' ? 'which' : ask) : 'weigh';
  return {
    name: 'Hyperscan in C',
    note: 'on UTF-8 bytes in memory, not on JavaScript strings',
    prepare: async (workload) => {
      const missing = build();
      return missing ?? (await start(workload, mode, model === 'compile'));
    },
  };
}

/**
 * Compiles the program unless that was done since it was last changed. Returns the reason when it
 * is missing.
 */
function build(): string | undefined {
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return undefined;
  const quiet: ExecFileSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  try {
    const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'libhs'], quiet).trim().split(/\s+/);
    mkdirSync(cache, { recursive: true });
    execFileSync('cc', ['-O2', '-o', program, source, ...flags], quiet);
    return undefined;
  } catch {
    return howToInstall;
  }
}

async function start(workload: Workload, mode: string, compiles: boolean): Promise<Runner> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hyperscan-'));
  const [database, messages] = [join(folder, 'database'), join(folder, 'messages')];
  const dedupe = mode !== 'all';
  const weightOf = (index: number) => (isDropped(index, workload.ruleSet.rules.length) ? 2 : 1);
  const terms = workload.terms.map((term, index) => `${termFlags(term)}\t${weightOf(index)}\t${escapeTerm(term)}`);
  const patterns = workload.patterns.map((text, index) => `${patternFlags(text, dedupe)}\t${weightOf(index)}\t${text}`);
  writeFileSync(database, [...terms, ...patterns].join('\n'));
  writeFileSync(messages, Buffer.concat(workload.texts.map(framed)));
  const child = spawn(program, [database, messages], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (command: string): Promise<string> => {
    child.stdin.write(`${command}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the program ended; its message is above');
    return value as string;
  };
  const pass = async (times: number): Promise<Pass> => {
    const answer = await ask(compiles ? `compile ${times}` : `pass ${mode} ${Math.max(1, times)}`);
    const [count, ns] = answer.split(' ').map(Number);
    return { count: count!, ns: ns! };
  };
  const close = async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true });
  };
  const latencies = async () => Float64Array.from((await ask(`each ${mode}`)).trim().split(' '), Number);
  const peakBytes = async () => Number(await ask('peak'));
  return { pass, ...(!compiles && { latencies }), heldBytes: Number(await ask('size')), peakBytes, close };
}

/**
 * A term is caseless, and UTF-8 only when it is not ASCII: plain bytes are what Hyperscan is best
 * at.
 */
function termFlags(text: string): string {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const cased = text.toLowerCase() !== text.toUpperCase();
  return `${cased ? 'i' : ''}${isAscii || !cased ? '' : 'u'}`;
}

/**
 * UTF-8 only for patterns that can tell characters from bytes; `s` where one report of a match is
 * enough.
 */
function patternFlags(text: string, once: boolean): string {
  const characters = /\\p\{|\\x\{|[^\0-\x7f]|\[\^|\\[SWD]|(?<!\\)\./i.test(text);
  return `${once ? 's' : ''}${characters ? 'u' : ''}`;
}

function framed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
