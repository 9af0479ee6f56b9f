/** The options that name a platform, rules or the demo, and the functions that open them. */
import { fileURLToPath } from 'node:url';
import { countUpToOne, type ScoreTable } from '../audit/source/scores.js';
import type { Engine } from '../engine/engine.js';
import { exceptionLists, type Semantics } from '../engine/semantics.js';
import { UsageError } from '../foundation/errors.js';
import { readJsonFile } from '../foundation/files/read-file.js';
import { nearestNames } from '../foundation/nearest-names.js';
import type { Client } from '../platform/client/client.js';
import type { KeywordList } from '../platform/contract/keyword-list.js';
import type { Rule } from '../platform/contract/rule.js';
import type { RuleSet } from '../platform/contract/rule-set.js';
import { expiredTerms } from '../platform/loader/term-comments.js';
import { type OptionValues, optionGroup, type RunContext } from './command.js';
import { readScoresFile, readSecret } from './input-files.js';
import type { Io } from './io.js';
import { counted, escapeText } from './terminal/text.js';
import { scaleWords } from './unchecked.js';

/** The heading of the options that name sources. */
export const sourceGroup = 'where rules and messages come from';

/** Options of every command that uses a platform. */
export const platformOptions = optionGroup(sourceGroup, {
  'base-url': {
    type: 'string',
    value: 'URL',
    excludes: ['demo'],
    help: 'the platform, ending in /v3; or set SLUICE_BASE_URL',
  },
  'api-key-file': { type: 'string', value: 'FILE', help: 'file with the api key; or set SLUICE_API_KEY' },
  demo: { type: 'boolean', help: 'the bundled demo, served on this machine' },
});

/** Options of every command that reads rules from a file or a platform. */
export const rulesOptions = {
  ...platformOptions,
  ...optionGroup(sourceGroup, {
    rules: { type: 'string', value: 'FILE|DIR', help: 'rule set from a file or a folder, as `sluice pull` writes it' },
  }),
};

/** Options of every command that creates an engine. */
export const engineOptions = optionGroup('how to judge', {
  semantics: {
    type: 'string',
    value: 'FILE',
    help: 'readings, as JSON; each overrides the one that comes with the rules',
  },
  scores: {
    type: 'string',
    value: 'FILE',
    help: 'scores, as JSON: labels by URL of a file, by id of a message, or by text',
  },
  'scores-scale': { type: 'string', choices: ['1', '100'], needs: ['scores'], help: 'what they count to (100)' },
  shadow: {
    type: 'string',
    multiple: true,
    value: 'RULE',
    help: 'id of a rule that is reported and never decides; may be given several times',
  },
});

/** The platform to use: the demo, or one at an address. */
export type PlatformPlan = { readonly kind: 'demo' } | { readonly kind: 'platform'; readonly baseUrl: string };

/**
 * Returns the platform that the options or the environment name, if any. An option overrides the
 * environment.
 */
export function planPlatform(values: OptionValues<typeof platformOptions>, env: Io['env']): PlatformPlan | undefined {
  if (values.demo) return { kind: 'demo' };
  const baseUrl = values['base-url'] ?? env.SLUICE_BASE_URL;
  return baseUrl === undefined || baseUrl === '' ? undefined : { kind: 'platform', baseUrl };
}

/** An open platform. */
export interface Platform {
  readonly client: Client;
  /** Name and address of the platform for the screen. */
  readonly label: string;
  close(): Promise<void>;
}

/**
 * Time limit of one call. It leaves time for a `Retry-After`, since platforms count rates by the
 * minute. A platform that is down is noticed much earlier, after three attempts.
 */
const callMs = 600_000;

/**
 * Opens a platform: starts the demo on loopback, or creates a client with the key from a file or
 * the environment.
 */
export async function openPlatform(
  plan: PlatformPlan,
  values: OptionValues<typeof platformOptions>,
  { env, reporter }: RunContext,
): Promise<Platform> {
  // Loaded only here: a command that reads files starts in half the time without these modules.
  const { createClient } = await import('../platform/client/client.js');
  if (plan.kind === 'platform') {
    const apiKey = await readApiKey(values['api-key-file'], env);
    const client = createClient({ baseUrl: plan.baseUrl, apiKey, timeouts: { totalMs: callMs } });
    return { client, label: plan.baseUrl, close: () => client.close() };
  }
  await reporter.step('starting the bundled demo');
  const { startService } = await import('../platform/service/index.js');
  const service = await startService();
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  return {
    client,
    label: `${demoName}, served at ${service.url}`,
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}

async function readApiKey(path: string | undefined, env: Io['env']): Promise<string> {
  const key = await readSecret(path, env.SLUICE_API_KEY, 'api key');
  if (key !== undefined) return key;
  throw new UsageError('no api key; set SLUICE_API_KEY or use `--api-key-file FILE`');
}

/** The name of the demo. */
export const demoName = 'the bundled demo';

/** The folder of the demo. The path is the same from `src/cli` and from `dist/cli`. */
const demoFolder = new URL('../../fixtures/data/', import.meta.url);

/**
 * Reads the rule set of the demo from its files. It equals what the service of the demo would
 * return.
 */
export async function readDemoRules(): Promise<RuleSet> {
  const { loadRuleSet } = await import('../platform/loader/load-rule-set.js');
  const read = async <T>(name: string) =>
    (await readJsonFile(fileURLToPath(new URL(name, demoFolder)))) as readonly T[];
  const [rules, lists] = await Promise.all([read<Rule>('rules.json'), read<KeywordList>('lists.json')]);
  const get = async (id: string) => lists.find((list) => list.id === id)!;
  return loadRuleSet({ rules: { list: async () => ({ data: rules, meta: {} }), get } });
}

/**
 * Fetches the rule set of a platform, and the keyword lists that the exceptions in readings name.
 */
export async function pullRuleSet(
  { client, label }: Platform,
  context: RunContext,
  ...readings: readonly Partial<Semantics>[]
): Promise<RuleSet> {
  await context.reporter.step(`pulling rules from ${label}`);
  const { loadRuleSet } = await import('../platform/loader/load-rule-set.js');
  return loadRuleSet(client, { signal: context.interrupted, lists: readings.flatMap(exceptionLists) });
}

/** The input of every command that creates an engine. */
export interface EngineInput {
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  /** The readings of the engine. */
  readonly semantics: Semantics;
  /** The rules that run under the reading `runs`. */
  readonly runningRules: RuleSet['rules'];
  readonly scores: ScoreTable;
  /** Name of the source of the rules for the screen. */
  readonly rulesLabel: string;
}

/** Number of terms that are named in the note on terms past their date. */
const mostExpired = 3;

/** Says on stderr which terms are past the date in their comment. */
export async function noteExpired(ruleSet: RuleSet, { today, reporter }: RunContext): Promise<void> {
  const expired = expiredTerms(ruleSet, today());
  if (expired.length === 0) return;
  const shown = expired.slice(0, mostExpired).map(({ listId, detail }) => `list \`${listId}\`: ${detail}`);
  const more = expired.length > shown.length ? `; +${expired.length - shown.length} more` : '';
  await reporter.note(`warning: ${counted(expired.length, 'expired term')}: ${escapeText(shown.join('; '))}${more}`);
}

/**
 * Reads the scores that the options name, or else those of the demo if it is the platform. Throws
 * `UsageError` and `ShapeError`.
 */
export function readScores(
  values: OptionValues<Pick<typeof engineOptions, 'scores' | 'scores-scale'>>,
  platform: PlatformPlan | undefined,
): Promise<ScoreTable> {
  const { scores, 'scores-scale': scale = '100' } = values;
  return readScoresFile(scores, scale === '1' ? 1 : 100, platform?.kind === 'demo');
}

/** Says on stderr that the scores seem to range from 0 to 1, if they do. */
export async function noteScale(scores: ScoreTable, { reporter }: RunContext): Promise<void> {
  const files = countUpToOne(scores);
  if (files !== undefined) await reporter.note(`warning: ${scaleWords(files)}`);
}

/**
 * Returns the rule that an option names. If it does not exist, throws `UsageError` with the nearest
 * ids.
 */
export function ruleOfOption(option: string, ruleId: string, { rules }: RuleSet): RuleSet['rules'][number] {
  const rule = rules.find(({ id }) => id === ruleId);
  if (rule !== undefined) return rule;
  // Screens show the names of rules, so a name is accepted in place of the id.
  const idOf = new Map(rules.flatMap(({ id, name }) => [[id, id] as const, [name ?? id, id] as const]));
  const near = nearestNames(ruleId, [...idOf.keys()]).map((name) => `\`${idOf.get(name)}\``);
  const hint =
    near.length > 0
      ? `did you mean ${[...new Set(near)].join(' or ')}?`
      : '`sluice audit --json` lists those that match';
  throw new UsageError(`\`--${option}\` must be the id of a rule, and no rule has this one; ${hint}`);
}
