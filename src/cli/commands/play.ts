/** `sluice play`: the command, its options and its exit codes. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readMessages } from '../../audit/source/messages.js';
import { scoresFromTable } from '../../audit/source/scores.js';
import { defaultSemantics, type Semantics } from '../../engine/semantics.js';
import { UsageError } from '../../foundation/errors.js';
import { type Listener, listen } from '../../foundation/listener/listen.js';
import { createPlayHandler, type ServedInput } from '../../play/handler.js';
import type { Command, OptionValues, RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { print, printJson } from '../io.js';
import { listenOptions } from '../listening.js';
import { messageOptions } from '../message-options.js';
import { filesName } from '../message-source.js';
import { Sources } from '../open-sources.js';
import { planPlatform } from '../sources.js';
import { escapeText } from '../terminal/text.js';

const options = {
  ...messageOptions,
  port: listenOptions.port,
  'no-open': { type: 'boolean', help: 'only print the address; a browser is opened where the output is a terminal' },
  json: { type: 'boolean', help: 'print { "url" } as the first line instead of words' },
  quiet: { type: 'boolean', help: 'print no progress and no warnings' },
} as const;

type Values = OptionValues<typeof options>;

/**
 * `sluice play`: serves a page that shows, while rules are edited, what they would have done to
 * messages.
 */
export const playCommand: Command<typeof options> = {
  name: 'play',
  description:
    'Serves a page on this machine, until Ctrl-C. It judges all messages again at each key, and shows what is newly stopped and released, ' +
    'and why. Without options it has the bundled demo; files can be dropped on it. Rules and messages are judged in the browser and go ' +
    'nowhere else. The address holds a token, without which the server gives nothing of them; the api key stays in this process.',
  examples: [
    'sluice play',
    'sluice play --rules rules/ --messages may.ndjson',
    'sluice play --base-url https://APP.example/v3 --since 2026-05-01',
  ],
  options,
  exits: { done: 'ended by a signal', ...commonExits },
  run,
};

/**
 * Time limits: the page may take long to read many messages, and nobody waits for it at the end.
 */
const times = { sendMs: 600_000, closeMs: 1_000 };

async function run(values: Values, context: RunContext): Promise<number> {
  const html = await readPage();
  const token = randomBytes(24).toString('base64url');
  const { rules, messages } = values;
  if (messages?.includes('-'))
    throw new UsageError('the page reads messages each time it is loaded; give `--messages` a file');
  const hasPlatform = planPlatform(values, context.env) !== undefined;
  if (rules === undefined && messages === undefined && !hasPlatform) return serve({ html, token }, values, context);
  const hasMessages = messages !== undefined || hasPlatform;
  await using sources = new Sources(values, context, hasMessages ? ['rules', 'messages'] : ['rules']);
  return await serve({ html, token, ...(await servedInput(sources, hasMessages, values)) }, values, context);
}

async function readPage(): Promise<string> {
  // The path is the same from `src/` and from `dist/`.
  const path = new URL('../../../dist/play/index.html', import.meta.url);
  return readFile(path, 'utf8').catch((cause: Error) => {
    throw new UsageError('the page is not there; `npm run build` makes it', { cause });
  });
}

async function servedInput(
  sources: Sources,
  hasMessages: boolean,
  values: Values,
): Promise<Pick<ServedInput, 'rules' | 'messages'>> {
  const { ruleSet, semantics, scores, rulesLabel } = await sources.engine();
  const { rules, lists, missing, lint, comments } = ruleSet;
  const rulesName = values.rules ?? rulesLabel;
  const played = { rules, lists, missing, lint, comments, semantics: readingsOf(semantics) };
  if (!hasMessages) return { rules: { rules: played, rulesName } };
  const messagesName = values.messages === undefined ? (await sources.platform()).label : filesName(values.messages);
  return {
    rules: { rules: played, rulesName, messagesName },
    messages: async function* () {
      const { source, facts } = await sources.messages(scores);
      try {
        for await (const message of readMessages(source, facts)) {
          const messageScores = scoresFromTable(message, scores);
          yield messageScores.length === 0 ? [message] : [message, messageScores];
        }
      } finally {
        await source.close?.();
      }
    },
  };
}

/** Returns the readings that differ from the defaults, or `undefined` if none do. */
function readingsOf({ engine: _, ...semantics }: Semantics): Partial<Semantics> | undefined {
  const changed = Object.entries(semantics).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultSemantics[name as keyof Semantics]),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

async function serve(input: ServedInput, values: Values, context: RunContext): Promise<number> {
  const { interrupted, stdout } = context;
  const handler = createPlayHandler(input);
  let listener: Listener | undefined;
  try {
    listener = await listen({ host: '127.0.0.1', port: values.port ?? 0, times, fetch: handler });
    const url = `http://${listener.authority}/${input.rules === undefined ? '' : `#token=${input.token}`}`;
    context.reporter.end();
    if (values.json) await printJson(context, { url }, 0);
    else await print(context, `${wordsOf(input)}, until Ctrl-C\n\n  ${url}\n\n`);
    if (stdout.isTTY === true && values['no-open'] !== true) openBrowser(url);
    if (!interrupted.aborted) await once(interrupted, 'abort');
  } finally {
    await listener?.close();
  }
  return exitCode.done;
}

function wordsOf({ rules }: ServedInput): string {
  if (rules === undefined) return 'a page with the bundled demo';
  const { rulesName, messagesName } = rules;
  const names = [rulesName, messagesName].flatMap((name) => (name === undefined ? [] : basename(name)));
  return `a page with ${escapeText([...new Set(names)].join(' and '))}`;
}

/**
 * Opens the browser of the user. If there is none, that is not an error, since the address was
 * printed.
 */
function openBrowser(url: string): void {
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const [program, ...args] = programs[process.platform] ?? ['xdg-open'];
  spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}
