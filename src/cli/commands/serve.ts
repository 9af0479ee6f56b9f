/** `sluice serve`: the command, its options and its exit codes. */
import { once } from 'node:events';
import { isLoopback } from '../../foundation/requests/loopback.js';
import type { Service } from '../../platform/service/index.js';
import type { Command, OptionTable, OptionValues, RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { print, printJson } from '../io.js';
import { listenOptions, requestLog } from '../listening.js';
import { escapeText } from '../terminal/text.js';

const options = {
  port: listenOptions.port,
  host: listenOptions.host,
  data: {
    type: 'string',
    value: 'DIR|FILE',
    help: 'directory with users, groups, messages, rules and lists, or a rule set from `sluice pull`; the demo without',
  },
  json: { type: 'boolean', help: 'print { "url", "apiKey" } as the first line instead of words' },
  log: listenOptions.log,
  quiet: { type: 'boolean', help: 'print no warnings' },
} as const satisfies OptionTable;

type Values = OptionValues<typeof options>;

/**
 * `sluice serve`: serves the complete interface on this machine, from fixtures or a data directory,
 * until it is stopped.
 */
export const serveCommand: Command<typeof options> = {
  name: 'serve',
  description:
    'Serves every operation of the interface from bundled fixtures or a data directory, until Ctrl-C. The api ' +
    'key is SLUICE_API_KEY when that is set, otherwise a new one for this run. A data directory holds ' +
    'users.ndjson, groups.ndjson, messages.ndjson, and rules.json and lists.json, or a folder as pull --out writes it.',
  examples: ['sluice serve', 'sluice serve --port 8080 --data ./my-data', 'sluice serve --port 0 --json'],
  options,
  exits: {
    done: 'ended by a signal',
    usage: commonExits.usage,
    data: 'the data cannot be used',
    interrupted: 'ended at once by a second signal',
  },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const { env, interrupted, reporter } = context;
  const ownKey = env.SLUICE_API_KEY || undefined;
  const { port, host, data } = values;
  const onRequest = requestLog(values, context);
  const { startService } = await import('../../platform/service/index.js');
  const service = await startService({ port, host, data, apiKey: ownKey, onRequest });
  try {
    const { url, apiKey } = service;
    if (values.json) await printJson(context, { url, apiKey }, 0);
    else await print(context, friendlyWords(service, ownKey === undefined ? apiKey : undefined, data));
    if (host !== undefined && !isLoopback(host)) {
      await reporter.note(
        'warning: this address is open to other machines, and the api key crosses the network unencrypted',
      );
    }
    // Meanwhile the listening socket keeps the process alive.
    if (!interrupted.aborted) await once(interrupted, 'abort');
  } finally {
    await service.close();
  }
  return exitCode.done;
}

/**
 * Returns what is printed at the start. A key is shown only if it was generated for this run; a key
 * from the environment is not.
 */
function friendlyWords({ url }: Service, madeUpKey: string | undefined, data: string | undefined): string {
  const key = madeUpKey ?? '$SLUICE_API_KEY';
  return [
    `serving ${data === undefined ? 'the bundled demo' : escapeText(data)} at ${url}, until Ctrl-C`,
    '',
    'try:',
    `  curl -H "apikey: ${key}" "${url}/messages?limit=3"`,
    `  ${madeUpKey === undefined ? '' : `SLUICE_API_KEY=${key} `}sluice audit --base-url ${url}`,
    '',
  ].join('\n');
}
