import { readFile } from 'node:fs/promises';
import { type Client, createClient } from '../client/client.js';
import { UsageError } from '../errors.js';
import { startService } from '../service/index.js';
import type { OptionTable, OptionValues } from './command.js';
import { withFileWords } from './file-error.js';
import type { Io } from './io.js';

const group = 'where rules and messages come from';

/** Options of every command that talks to a platform. */
export const platformOptions = {
  'base-url': { type: 'string', value: 'URL', help: 'the platform, ending in /v3; or set SLUICE_BASE_URL', group },
  'api-key-file': { type: 'string', value: 'FILE', help: 'file with the api key; or set SLUICE_API_KEY', group },
  demo: { type: 'boolean', help: 'the bundled demo, served on this machine', group },
} as const satisfies OptionTable;

/** Options of every command that takes its rules from a file or a platform. */
export const rulesOptions = {
  ...platformOptions,
  rules: { type: 'string', value: 'FILE', help: 'rule set from a file, as `sluice pull` writes it', group },
} as const satisfies OptionTable;

/** Options of every command that takes its rules and messages from files or a platform. */
export const sourceOptions = {
  ...rulesOptions,
  messages: { type: 'string', value: 'FILE', help: 'messages from a file of NDJSON, `-` for standard input', group },
} as const satisfies OptionTable;

/** Which platform is meant: the demo, or one at an address. */
export type PlatformPlan = { readonly kind: 'demo' } | { readonly kind: 'platform'; readonly baseUrl: string };

/** Where rules come from: a file, else the platform. */
export interface RulesPlan {
  readonly rulesFile: string | undefined;
  /** Absent when files give everything. */
  readonly platform: PlatformPlan | undefined;
}

/** Where rules and messages come from; what has no file comes from the platform. */
export interface SourcePlan extends RulesPlan {
  readonly messagesFile: string | undefined;
}

/** A platform that can be asked. */
export interface Platform {
  readonly client: Client;
  /** For people: what it is and where. */
  readonly label: string;
  close(): Promise<void>;
}

/** The platform that options and environment name, if any; an option is stronger than the environment. */
export function planPlatform(values: OptionValues<typeof platformOptions>, env: Io['env']): PlatformPlan | undefined {
  if (values.demo && values['base-url'] !== undefined) {
    throw new UsageError('`--demo` and `--base-url` are two different platforms; give one of them');
  }
  if (values.demo) return { kind: 'demo' };
  const baseUrl = values['base-url'] ?? env.SLUICE_BASE_URL;
  return baseUrl === undefined || baseUrl === '' ? undefined : { kind: 'platform', baseUrl };
}

/** Where rules alone come from. Throws `UsageError` when nothing or more than one source is given. */
export function planRules(values: OptionValues<typeof rulesOptions>, env: Io['env']): RulesPlan {
  const { rules: rulesFile } = values;
  const platform = planPlatform(values, env);
  if (rulesFile === undefined) {
    if (platform !== undefined) return { rulesFile, platform };
    throw new UsageError(
      'no rules; give `--rules FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them, or `--demo`',
    );
  }
  const second = values.demo ? 'demo' : 'base-url';
  if (values[second] === undefined) return { rulesFile, platform: undefined };
  throw new UsageError(`\`--rules\` and \`--${second}\` are two different sources of rules; give one of them`);
}

/** Where rules and messages come from. Throws `UsageError` that says what to add when one of them has no source. */
export function planSources(values: OptionValues<typeof sourceOptions>, env: Io['env']): SourcePlan {
  const { rules: rulesFile, messages: messagesFile } = values;
  const platform = planPlatform(values, env);
  const missing = [rulesFile === undefined ? 'rules' : '', messagesFile === undefined ? 'messages' : ''].filter(
    Boolean,
  );
  if (missing.length === 0) return { rulesFile, messagesFile, platform: undefined };
  if (platform !== undefined) return { rulesFile, messagesFile, platform };
  if (missing.length === 2) {
    throw new UsageError(
      'no rules and no messages; give `--base-url URL` with SLUICE_API_KEY set, or `--rules FILE --messages FILE`, or `--demo`',
    );
  }
  throw new UsageError(
    `no ${missing[0]}; add \`--${missing[0]} FILE\`, or \`--base-url URL\` with SLUICE_API_KEY set to fetch them`,
  );
}

/** Opens a platform: starts the demo on loopback, or makes a client with the key of file or environment. */
export async function openPlatform(
  plan: PlatformPlan,
  values: OptionValues<typeof platformOptions>,
  env: Io['env'],
): Promise<Platform> {
  if (plan.kind === 'platform') {
    const client = clientOf(plan.baseUrl, await readApiKey(values['api-key-file'], env));
    return { client, label: plan.baseUrl, close: () => client.close() };
  }
  const service = await startService({ port: 0 });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  return {
    client,
    label: `the bundled demo, served at ${service.url}`,
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}

/** The client names its own options in errors; here they are called otherwise. */
function clientOf(baseUrl: string, apiKey: string): Client {
  try {
    return createClient({ baseUrl, apiKey });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const words = error.message.replace('`baseUrl`', '`--base-url`').replace('`apiKey`', 'the api key');
    throw new UsageError(words, { cause: error });
  }
}

async function readApiKey(path: string | undefined, env: Io['env']): Promise<string> {
  const key = path === undefined ? env.SLUICE_API_KEY : await withFileWords('read', path, () => readFile(path, 'utf8'));
  const trimmed = key?.trim() ?? '';
  if (trimmed !== '') return trimmed;
  throw new UsageError(
    path === undefined ? 'no api key; set SLUICE_API_KEY or use `--api-key-file FILE`' : `\`${path}\` holds no api key`,
  );
}
