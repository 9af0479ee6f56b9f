import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { serviceVariable } from '../src/bench/contenders/http-contenders.js';
import type { ContenderResult, MeasurementResult } from '../src/bench/record.js';
import { startServiceProcess } from '../src/bench/service-process.js';
import type { Definition } from './definition.js';
import { type Mode, prepareMaterial } from './prepare-material.js';

const program = fileURLToPath(new URL('./main.js', import.meta.url));

/** Runs one definition in a process of its own. Its words on standard error are passed on. */
export async function runInChild(definition: Definition, mode: Mode): Promise<MeasurementResult> {
  return JSON.parse(await outputOf('one', definition, mode)) as MeasurementResult;
}

/**
 * Adds the peak memory of every contender: that of a process of its own which prepares it and asks once about everything,
 * over what the process had when it held the messages and nothing else.
 */
export async function withPeaks(definition: Definition, result: MeasurementResult): Promise<MeasurementResult> {
  const host =
    definition.model === 'audit' ? await startServiceProcess(prepareMaterial(definition, 'full').messages) : undefined;
  // Messages that this process serves are none in the memory of those that fetch them.
  const asked = host === undefined ? definition : { ...definition, corpus: { ...definition.corpus, messages: 1 } };
  const env = host && { [serviceVariable]: JSON.stringify({ url: host.url, apiKey: host.apiKey }) };
  const contenders: ContenderResult[] = [];
  for (const contender of result.contenders) {
    if (contender.status !== 'measured') contenders.push(contender);
    else contenders.push({ ...contender, peakBytes: Number(await outputOf('peak', asked, contender.name, env)) });
  }
  await host?.close();
  return { ...result, contenders };
}

async function outputOf(verb: string, definition: Definition, argument: string, env = {}): Promise<string> {
  const child = spawn(process.execPath, ['--expose-gc', program, verb, JSON.stringify(definition), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk;
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)));
  if (code !== 0) throw new Error(`${definition.name} ended with code ${code}`);
  return text;
}
