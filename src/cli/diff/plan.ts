import type { Outcome } from '../../audit/count/diff-causes.js';
import type { InputFacts } from '../../audit/keep/manifest.js';
import { outcomeWords } from '../../audit/sample/label.js';
import type { MessageSource } from '../../audit/source/messages.js';
import type { ScoreTable } from '../../audit/source/scores.js';
import { exceptionLists, resolveSemantics, type Semantics, semanticsOf } from '../../engine/semantics.js';
import { UsageError } from '../../foundation/errors.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { readRuleSetFile } from '../../platform/loader/rule-set-file.js';
import { type OptionValues, optionGroup, type RunContext } from '../command.js';
import { readLabels, readSemanticsFile } from '../input-files.js';
import type { Io } from '../io.js';
import { messagesFileOption, readColumnMap } from '../message-columns.js';
import {
  factsOf,
  filesName,
  filterOptions,
  type MessagePlan,
  openMessages,
  readFilters,
  readMessageFiles,
} from '../message-source.js';
import {
  engineOptions,
  noteExpired,
  openPlatform,
  type PlatformPlan,
  planPlatform,
  platformOptions,
  pullRuleSet,
  readScores,
  refuseUnreadPlatform,
  sourceGroup,
} from '../sources.js';
import { maybeTruncated } from '../unchecked.js';
import { proposedChange } from './demo-change.js';

/** The rules in shadow are a reading of each side, and so are part of its file. */
const { shadow: _shadow, ...judgingOptions } = engineOptions;

/** The value of `--against-semantics` for the readings of the new rules. */
const sameReadings = 'same';

/** Options that name the two rule sets, their readings and the messages. */
export const diffInputOptions = {
  ...optionGroup(sourceGroup, {
    rules: { type: 'string', value: 'FILE|DIR', help: 'the new rule set, as `sluice pull` writes it' },
    against: { type: 'string', value: 'FILE|DIR', help: 'the old rule set' },
    live: { type: 'boolean', help: 'take the rules of the platform for the side that has no file' },
  }),
  ...messagesFileOption,
  ...platformOptions,
  ...judgingOptions,
  ...optionGroup('how to judge', {
    'against-semantics': {
      type: 'string',
      value: 'FILE|same',
      help:
        'readings for the old rules, as --semantics has them for the new ones; --against may be left out then. `same`: those of ' +
        '--semantics, which is the default, and must be given if a gate is used',
    },
    labels: {
      type: 'string',
      value: 'FILE',
      help: `what people found, as \`sluice label\` writes it: rows { "messageId", "outcome" }, ${outcomeWords}, of how messages were handled`,
    },
  }),
  ...filterOptions,
  ...optionGroup('which messages', {
    'rules-only': {
      type: 'boolean',
      excludes: ['messages'],
      help: 'compare the rule sets in words, and judge no messages',
    },
  }),
};

type Values = OptionValues<typeof diffInputOptions>;

/** Source of one side: a file, the platform, the other side, or the proposed change of the demo. */
type SidePlan = { readonly file: string } | 'platform' | 'other' | 'proposed';

/** Sources of the rule sets and the messages. */
interface DiffPlan {
  readonly rules: SidePlan;
  readonly against: SidePlan;
  /** Absent when files give everything. */
  readonly platform: PlatformPlan | undefined;
  /** Absent when no messages are to be judged. */
  readonly messages: Pick<MessagePlan, 'messageFiles' | 'map' | 'mayBeEmpty' | 'filters'> | undefined;
}

/** Reads the options. Throws `UsageError` for every mistake that shows without opening anything. */
export function planDiff(values: Values, env: Io['env']): DiffPlan {
  const named = planPlatform(values, env);
  const { rules, against } = planSides(values);
  const isLive = rules === 'platform' || against === 'platform';
  if (isLive && named === undefined) {
    throw new UsageError('`--live` needs a platform; add `--base-url URL` with SLUICE_API_KEY set, or `--demo`');
  }
  const messageFiles = readMessageFiles(values);
  const isJudged = !values['rules-only'] && (messageFiles !== undefined || named !== undefined);
  const isPlatformUsed = isLive || (isJudged && messageFiles === undefined);
  if (!isPlatformUsed) refuseUnreadPlatform(values, 'the files given have');
  const filters = readFilters(values, messageFiles !== undefined);
  return {
    rules,
    against,
    platform: isPlatformUsed ? named : undefined,
    messages: isJudged
      ? { messageFiles, map: readColumnMap(values), mayBeEmpty: values['allow-empty'], filters }
      : undefined,
  };
}

function planSides(values: Values): Pick<DiffPlan, 'rules' | 'against'> {
  const { rules, against, demo } = values;
  const isLive = values.live === true || demo === true;
  const hasOtherReadings = otherReadings(values) !== undefined;
  if (rules !== undefined && against !== undefined) {
    if (!values.live) return { rules: { file: rules }, against: { file: against } };
    throw new UsageError('`--rules` and `--against` give both rule sets; leave out one of them, or `--live`');
  }
  if (rules !== undefined) {
    if (isLive) return { rules: { file: rules }, against: 'platform' };
    if (hasOtherReadings) return { rules: { file: rules }, against: 'other' };
    throw new UsageError(
      'nothing to compare with; add `--against FILE`, or `--live` for the rules of the platform, or `--against-semantics FILE`',
    );
  }
  if (against !== undefined) {
    if (isLive) return { rules: 'platform', against: { file: against } };
    throw new UsageError('no new rules; add `--rules FILE`, or `--live` for the rules of the platform');
  }
  if (isLive && hasOtherReadings) return { rules: 'platform', against: 'other' };
  if (demo) return { rules: 'proposed', against: 'platform' };
  throw new UsageError(
    'no rules; give `--rules NEW --against OLD`, or `--rules NEW --live` with `--base-url URL`, or `--demo`',
  );
}

/** Returns the file of readings of the old rules, when they have their own. */
function otherReadings({ 'against-semantics': path }: Values): string | undefined {
  return path === sameReadings ? undefined : path;
}

/**
 * Reports whether readings are given for the new rules alone, so that the old ones are judged by them too without a word: a gate would pass what
 * other readings newly stop.
 */
export function areReadingsAssumed(values: Values): boolean {
  return values.semantics !== undefined && values['against-semantics'] === undefined;
}

export interface DiffInput {
  readonly rules: RuleSet;
  readonly against: RuleSet;
  /** The rule set of the platform, if a side is that rule set or derived from it. */
  readonly live: RuleSet | undefined;
  readonly semantics: Partial<Semantics>;
  readonly againstSemantics: Partial<Semantics>;
  readonly scores: ScoreTable;
  readonly outcomes: ReadonlyMap<string, Outcome> | undefined;
  /** Absent when no messages are to be judged. */
  readonly messages: DiffMessages | undefined;
}

export interface DiffMessages {
  readonly source: MessageSource;
  /** Name of the source in errors. */
  readonly name: string;
  readonly facts: InputFacts;
}

/** Opens the sources of a plan for the time of `use`. Throws `SluiceError`, and the reason of an interruption. */
export async function withDiffInput<Result>(
  plan: DiffPlan,
  values: Values,
  context: RunContext,
  use: (input: DiffInput) => Promise<Result>,
): Promise<Result> {
  const given = await readSemanticsFile(values.semantics);
  const others = otherReadings(values);
  const givenToOthers = others === undefined ? given : await readSemanticsFile(others);
  const scores = await readScores(values, plan.platform);
  const outcomes = values.labels === undefined ? undefined : (await readLabels(values.labels, context)).byMessage();
  const platform = plan.platform && (await openPlatform(plan.platform, values, context));
  try {
    const isPulled = plan.rules === 'platform' || plan.against === 'platform';
    const live = isPulled ? await pullRuleSet(platform!, context, given, givenToOthers) : undefined;
    if (live?.truncated) await context.reporter.note(`warning: ${maybeTruncated}`);
    // INVARIANT: a plan with a side from the platform has a platform, and at most one side is that of the other.
    const lists = [given, givenToOthers].flatMap(exceptionLists);
    const load = async (side: SidePlan, other?: RuleSet): Promise<RuleSet> => {
      if (typeof side === 'object') return readRuleSetFile(side.file, { lists });
      if (side === 'proposed') return proposedChange(live!);
      return side === 'platform' ? live! : other!;
    };
    const rules = await load(plan.rules);
    const against = await load(plan.against, rules);
    await noteExpired(rules, context);
    const semantics = resolveSemantics(semanticsOf(rules, given));
    const againstSemantics = resolveSemantics(semanticsOf(against, givenToOthers));
    const { messages: which } = plan;
    const source = which && (await openMessages(which, platform, context));
    const messages: DiffMessages | undefined = source && {
      source,
      name: which.messageFiles === undefined ? (platform?.label ?? '') : filesName(which.messageFiles),
      facts: factsOf({ ...which, platform: plan.platform }, source, scores),
    };
    try {
      return await use({ rules, against, live, semantics, againstSemantics, scores, outcomes, messages });
    } finally {
      await messages?.source.close?.();
    }
  } finally {
    await platform?.close();
  }
}
