import type { ScoresByUrl } from '../audit/scores.js';
import type { RuleSet } from '../contract/rule-set.js';
import { createEngine, type Engine } from '../engine.js';
import { loadRuleSet } from '../loader/load-rule-set.js';
import { readRuleSetFile } from '../loader/rule-set-file.js';
import type { OptionTable, OptionValues } from './command.js';
import { engineNamed } from './engine-choice.js';
import { readScoresFile, readSemanticsFile } from './input-files.js';
import type { Io } from './io.js';
import { openPlatform, type Platform, type platformOptions, type RulesPlan } from './sources.js';
import type { Voice } from './voice.js';

const group = 'how to judge';

/** Options of every command that judges. */
export const engineOptions = {
  semantics: { type: 'string', value: 'FILE', help: 'readings that differ from the defaults, as JSON', group },
  scores: { type: 'string', value: 'FILE', help: 'scores of pictures and videos: URL to labels, as JSON', group },
  engine: { type: 'string', value: 'NAME', help: 'what runs the patterns: re2js or re2-wasm (re2js)', group },
} as const satisfies OptionTable;

/** What every command that judges needs. */
export interface EngineInput {
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly scores: ScoresByUrl;
  /** The platform of the plan, open. */
  readonly platform: Platform | undefined;
  /** For people: where the rules come from. */
  readonly rulesLabel: string;
  close(): Promise<void>;
}

/**
 * Opens what the plan names: readings, scores, platform, rule set, engine. `voice` says what takes time. Throws
 * `SluiceError`, and the reason of an interruption; whatever was opened is closed then.
 */
export async function openEngine(
  plan: RulesPlan,
  values: OptionValues<typeof engineOptions & typeof platformOptions>,
  io: Io,
  voice: Voice,
): Promise<EngineInput> {
  const semantics = {
    ...(await readSemanticsFile(values.semantics)),
    ...(await engineNamed(values.engine, '`--engine`')),
  };
  const isDemo = plan.platform?.kind === 'demo';
  const scores = await readScoresFile(values.scores, isDemo);
  if (isDemo) await voice.step('starting the bundled demo');
  const platform = plan.platform && (await openPlatform(plan.platform, values, io.env));
  try {
    const ruleSet = await openRuleSet(plan, platform, io, voice);
    const engine = createEngine(ruleSet, semantics);
    const close = async () => {
      engine.close();
      await platform?.close();
    };
    return { ruleSet, engine, scores, platform, rulesLabel: plan.rulesFile ?? platform?.label ?? '', close };
  } catch (error) {
    await platform?.close();
    throw error;
  }
}

async function openRuleSet({ rulesFile }: RulesPlan, platform: Platform | undefined, io: Io, voice: Voice) {
  if (rulesFile !== undefined) return readRuleSetFile(rulesFile);
  // INVARIANT: a plan without a file of rules has a platform.
  const { client, label } = platform!;
  await voice.step(`pulling rules from ${label}`);
  return loadRuleSet(client, { signal: io.interrupted });
}
