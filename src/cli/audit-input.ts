import { mediaFromScores } from '../audit/scores.js';
import type { MessageDraft } from '../contract/message-draft.js';
import type { RuleSet } from '../contract/rule-set.js';
import type { Engine } from '../engine.js';
import type { MediaScores } from '../evaluate/media.js';
import type { OptionTable, OptionValues } from './command.js';
import { engineOptions, openEngine } from './engine-input.js';
import type { Io } from './io.js';
import { filterOptions, type MessageFilters, readFilters } from './message-filters.js';
import { type MessageSource, messagesOfFile, messagesOfPlatform } from './message-source.js';
import { type Platform, planSources, type SourcePlan, sourceOptions } from './sources.js';
import { standardInput } from './standard-input.js';
import type { Voice } from './voice.js';

/** Options of every command that judges many messages. */
export const auditInputOptions = {
  ...sourceOptions,
  ...engineOptions,
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
 * Opens what the plan names: rules, engine, messages, scores. `voice` says what takes time. Throws `SluiceError`, and
 * the reason of an interruption; whatever was opened is closed then.
 */
export async function openInput(
  { sources, filters }: InputPlan,
  values: OptionValues<typeof auditInputOptions>,
  io: Io,
  voice: Voice,
): Promise<AuditInput> {
  const { ruleSet, engine, scores, platform, rulesLabel, close } = await openEngine(sources, values, io, voice);
  try {
    const source = await openMessages(sources, filters, platform, io, voice);
    const media = (message: MessageDraft) => mediaFromScores(message, scores);
    const label = labelOf(sources, platform, rulesLabel);
    return { label, ruleSet, engine, source, media, hasScores: scores.size > 0, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openMessages(
  { messagesFile }: SourcePlan,
  filters: MessageFilters,
  platform: Platform | undefined,
  io: Io,
  voice: Voice,
): Promise<MessageSource> {
  if (messagesFile !== undefined) return messagesOfFile(messagesFile, filters, io);
  // INVARIANT: a plan without a file of messages has a platform.
  return messagesOfPlatform(platform!.client, filters, io.interrupted, { measured: voice.isWatched });
}

function labelOf({ rulesFile, messagesFile }: SourcePlan, platform: Platform | undefined, rulesLabel: string): string {
  const messages = messagesFile === '-' ? standardInput : (messagesFile ?? platform?.label ?? '');
  return rulesFile === undefined && messagesFile === undefined ? messages : `${messages}, by rules from ${rulesLabel}`;
}
