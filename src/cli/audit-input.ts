import { mediaFromScores } from '../audit/scores.js';
import type { MessageDraft } from '../contract/message-draft.js';
import type { RuleSet } from '../contract/rule-set.js';
import { createEngine, type Engine } from '../engine.js';
import type { MediaScores } from '../evaluate/media-scores.js';
import { loadRuleSet } from '../loader/load-rule-set.js';
import { readRuleSetFile } from '../loader/rule-set-file.js';
import type { OptionTable, OptionValues } from './command.js';
import { readScoresFile, readSemanticsFile } from './input-files.js';
import type { Io } from './io.js';
import { filterOptions, type MessageFilters, readFilters } from './message-filters.js';
import { type MessageSource, messagesOfFile, messagesOfPlatform } from './message-source.js';
import { openPlatform, type Platform, planSources, type SourcePlan, sourceOptions } from './sources.js';
import type { Voice } from './voice.js';

/** Options of every command that judges messages. */
export const auditInputOptions = {
  ...sourceOptions,
  semantics: {
    type: 'string',
    value: 'FILE',
    help: 'readings that differ from the defaults, as JSON',
    group: 'how to judge',
  },
  scores: {
    type: 'string',
    value: 'FILE',
    help: 'scores of pictures and videos: URL to labels, as JSON',
    group: 'how to judge',
  },
  ...filterOptions,
} as const satisfies OptionTable;

/** What the options mean, before anything is opened. */
export interface InputPlan {
  readonly sources: SourcePlan;
  readonly filters: MessageFilters;
}

/** Reads the options. Throws `UsageError` for whatever can be known to be wrong without opening anything. */
export function planInput(values: OptionValues<typeof auditInputOptions>, env: Io['env']): InputPlan {
  const sources = planSources(values, env);
  return { sources, filters: readFilters(values, sources.messagesFile !== undefined) };
}

/** Everything that an audit works on. */
export interface AuditInput {
  /** For people: where messages and rules come from. */
  readonly label: string;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly source: MessageSource;
  readonly media: (message: MessageDraft) => readonly MediaScores[];
  /** Whether there are any scores, so that a report can say how to get some. */
  readonly hasScores: boolean;
  close(): Promise<void>;
}

/**
 * Opens what the plan names: platform or files, rule set, engine, messages, scores. `voice` says what takes
 * time. Throws `SluiceError`, and the reason of an interruption; whatever was opened is closed then.
 */
export async function openInput(
  { sources, filters }: InputPlan,
  values: OptionValues<typeof auditInputOptions>,
  io: Io,
  voice: Voice,
): Promise<AuditInput> {
  const semantics = await readSemanticsFile(values.semantics);
  const scores = await readScoresFile(values.scores, sources.platform?.kind === 'demo');
  if (sources.platform?.kind === 'demo') await voice.step('starting the bundled demo');
  const platform = sources.platform && (await openPlatform(sources.platform, values, io.env));
  let engine: Engine | undefined;
  const close = async () => {
    engine?.close();
    await platform?.close();
  };
  try {
    const ruleSet = await openRuleSet(sources, platform, io, voice);
    engine = createEngine(ruleSet, semantics);
    const source = await openMessages(sources, filters, platform, io, voice);
    const media = (message: MessageDraft) => mediaFromScores(message, scores);
    return { label: labelOf(sources, platform), ruleSet, engine, source, media, hasScores: scores.size > 0, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openRuleSet({ rulesFile }: SourcePlan, platform: Platform | undefined, io: Io, voice: Voice) {
  if (rulesFile !== undefined) return readRuleSetFile(rulesFile);
  const { client, label } = planned(platform);
  await voice.step(`pulling rules from ${label}`);
  return loadRuleSet(client, { signal: io.interrupted });
}

async function openMessages(
  { messagesFile }: SourcePlan,
  filters: MessageFilters,
  platform: Platform | undefined,
  io: Io,
  voice: Voice,
): Promise<MessageSource> {
  if (messagesFile !== undefined) return messagesOfFile(messagesFile, filters, io);
  return messagesOfPlatform(planned(platform).client, filters, io.interrupted, { measured: voice.isWatched });
}

/** INVARIANT: a plan has a platform whenever it lacks a file. */
function planned(platform: Platform | undefined): Platform {
  if (platform === undefined) throw new Error('a plan without a platform asks for one');
  return platform;
}

function labelOf({ rulesFile, messagesFile }: SourcePlan, platform: Platform | undefined): string {
  const messages = messagesFile === '-' ? 'standard input' : (messagesFile ?? platform?.label ?? '');
  if (rulesFile === undefined && messagesFile === undefined) return messages;
  return `${messages}, by rules from ${rulesFile ?? platform?.label ?? ''}`;
}
