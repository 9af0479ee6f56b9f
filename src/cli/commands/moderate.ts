/** `sluice moderate`: the command, its options and its exit codes. */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { ScoreTable } from '../../audit/source/scores.js';
import { UsageError } from '../../foundation/errors.js';
import type { Listener, ListenerTimes } from '../../foundation/listener/listen.js';
import { isLoopback } from '../../foundation/requests/loopback.js';
import type { HandlerKeys } from '../../live/http/handler.js';
import type { CanaryOptions } from '../../live/moderator/canary.js';
import type { ModeratorOptions } from '../../live/moderator/options.js';
import { createFileSource } from '../../platform/loader/file-source.js';
import type { GateLimit } from '../../review/compare/gates.js';
import { limitOptions, readLimit } from '../change-limits.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readSecret, readSemanticsFile } from '../input-files.js';
import { print, printJson } from '../io.js';
import { demandLocalRequest, listenOptions, requestLog } from '../listening.js';
import type { LateModerator } from '../moderate/late-moderator.js';
import { friendlyWords, startModerator } from '../moderate/reported-moderator.js';
import { Sources } from '../open-sources.js';
import { engineOptions, noteScale, rulesOptions } from '../sources.js';

const { semantics, scores, 'scores-scale': scoresScale } = engineOptions;

/** Bounds of times that are given in seconds. */
const seconds = { min: 1, max: 2_000_000 };

const options = {
  ...listenOptions,
  'token-file': { type: 'string', value: 'FILE', help: 'file with the token of requests; or set SLUICE_TOKEN' },
  json: { type: 'boolean', help: 'print { "url" } as the first line instead of words' },
  quiet: { type: 'boolean', help: 'print no warnings' },
  ...rulesOptions,
  ...optionGroup('how rules are kept current', {
    refresh: { type: 'string', value: 'SECONDS', integer: seconds, help: 'time between two refreshes (60)' },
    snapshot: {
      type: 'string',
      value: 'FILE',
      writes: 'own',
      help: 'file that keeps the last good rules, for a start without the platform',
    },
    'max-stale': {
      type: 'string',
      value: 'SECONDS',
      integer: seconds,
      help: 'age from which rules are too old: /readyz is 503 then',
    },
    'when-stale': {
      type: 'string',
      choices: ['keep', 'block', 'throw'],
      needs: ['max-stale'],
      help: 'what /decide does with rules that are too old (keep)',
    },
    guard: {
      type: 'string',
      choices: ['on', 'off'],
      help: 'hold back rules that lose too much until they are accepted (on)',
    },
    canary: {
      type: 'string',
      optional: true,
      integer: { min: 1, max: 100_000 },
      help: 'judge the last N messages (1000) by new rules, and hold these back when they stop too many',
    },
    [limitOptions.newlyStopped]: {
      type: 'string',
      value: 'N|P%',
      needs: ['canary'],
      help: 'the most of its messages that may be newly stopped (5%)',
    },
    [limitOptions.released]: {
      type: 'string',
      value: 'N|P%',
      needs: ['canary'],
      help: 'the most that may be released (any number)',
    },
    'accept-file': {
      type: 'string',
      value: 'FILE',
      help: 'take rules that are held when their revision stands there, one a line; read at each refresh',
    },
  }),
  ...optionGroup('how to judge', {
    semantics,
    scores,
    'scores-scale': scoresScale,
    scorer: {
      type: 'string',
      value: 'URL',
      excludes: ['scores'],
      help: 'endpoint that scores texts, pictures, videos and other files',
    },
    deadline: {
      type: 'string',
      value: 'SECONDS',
      integer: { min: 1, max: 3_600 },
      help: 'how long each message waits for its scores (5); at /custom-api it is 1.5',
    },
  }),
  ...optionGroup('what a platform is answered at /custom-api', {
    reason: { type: 'string', choices: ['full', 'rule', 'none'], help: 'how much the reason says (full)' },
    'on-unanswered': {
      type: 'string',
      choices: ['fail', 'no-match', 'match'],
      help: 'the answer where a message cannot be judged: an error, or one of the other two (fail)',
    },
  }),
} as const;

type Values = OptionValues<typeof options>;

/**
 * `sluice moderate`: serves decisions over HTTP to a platform and to any backend, until it is
 * stopped.
 */
export const moderateCommand: Command<typeof options> = {
  name: 'moderate',
  description:
    'Answers POST /decide and /decide/batch, for any backend, and POST /custom-api, for the platform itself, by rules that are kept ' +
    'current, until Ctrl-C. Requests carry a key where one is set: SLUICE_TOKEN, or the file of --token-file, as Bearer, SLUICE_BASIC ' +
    '(user:password) as Basic. Without one it listens on loopback alone, and takes requests to loopback and JSON bodies alone. /healthz and /readyz need none; /metrics is for Prometheus.',
  examples: [
    'sluice moderate --demo --port 8080',
    'sluice moderate --base-url https://host/v3 --port 8080 --snapshot rules.json',
    'sluice moderate --rules ./rules --canary --accept-file accepted.txt',
    'sluice moderate --rules ./rules --on-unanswered match --reason rule',
  ],
  options,
  exits: {
    done: 'ended by a signal, all requests answered',
    usage: commonExits.usage,
    data: commonExits.data,
    platform: 'the platform refuses to give its rules',
  },
  run,
};

/**
 * Time limits for a platform that waits two seconds, and for backends that do not wait much longer.
 */
const times: ListenerTimes = {
  headMs: 5_000,
  bodyMs: 5_000,
  idleMs: 60_000,
  sendMs: 10_000,
  closeMs: 5_000,
  lastRequestsMs: 250,
};

/**
 * Longest wait for the first rules before the address is printed. So the rules are usually there
 * when someone reads it.
 */
const patienceMs = 10_000;

async function run(values: Values, context: RunContext): Promise<number> {
  const { env, interrupted } = context;
  await using sources = new Sources(values, context, ['rules']);
  const auth = await readKeys(values, env);
  const { host = '127.0.0.1', port = 0, reason, 'on-unanswered': onUnanswered } = values;
  const deadlineMs = values.deadline && values.deadline * 1_000;
  if (auth === undefined && !isLoopback(host)) {
    throw new UsageError(
      `\`--host ${host}\` opens it to other machines, and no key is set; set SLUICE_TOKEN, or SLUICE_BASIC to user:password, ` +
        'or give `--token-file FILE`',
    );
  }
  const moderation = await readModeration(values);
  const table: ScoreTable = values.scorer === undefined ? await sources.scores() : new Map();
  await noteScale(table, context);
  // Loaded here, so that starting other commands stays fast.
  const [{ createAnswering }, { listen }] = await Promise.all([
    import('../../live/http/answering.js'),
    import('../../foundation/listener/listen.js'),
  ]);
  let moderator: LateModerator | undefined;
  let listener: Listener | undefined;
  try {
    const isFile = values.rules !== undefined;
    const platform = isFile ? undefined : await sources.platform();
    const label = values.rules ?? platform!.label;
    const source = isFile ? createFileSource(label) : platform!.client;
    const acceptFile = values['accept-file'];
    moderator = startModerator({ source, ...moderation }, { label, isFile, table, acceptFile }, context);
    const { failed } = moderator;
    const admit = auth === undefined ? demandLocalRequest : undefined;
    const answering = createAnswering(moderator, { auth, reason, onUnanswered, deadlineMs }, admit);
    listener = await listen({
      host,
      port,
      times,
      onRequest: requestLog(values, context),
      fetch: answering,
      isWholeProcess: true,
    });
    await Promise.race([moderator.attempted, setTimeout(patienceMs, undefined, { ref: false }), failed]);
    const url = `http://${listener.authority}`;
    context.reporter.end();
    if (values.json) await printJson(context, { url }, 0);
    else await print(context, friendlyWords(url, label, auth));
    if (!isLoopback(host)) {
      await context.reporter.note(
        'warning: this address is open to other machines, and keys and messages cross the network unencrypted',
      );
    }
    if (!interrupted.aborted) await Promise.race([once(interrupted, 'abort'), failed]);
  } finally {
    await listener?.close();
    await moderator?.close();
  }
  return exitCode.done;
}

/** Resolves to the keys that options and environment name. Throws `UsageError`. */
async function readKeys(values: Values, env: RunContext['env']): Promise<HandlerKeys | undefined> {
  const bearer = await readSecret(values['token-file'], env.SLUICE_TOKEN, 'token');
  const [, username, password] = /^([^:]*):(.*)$/s.exec(env.SLUICE_BASIC ?? '') ?? [];
  if (username === undefined && env.SLUICE_BASIC) throw new UsageError('SLUICE_BASIC must be user:password');
  const basic = username === undefined ? undefined : { username, password: password! };
  return basic === undefined && bearer === undefined ? undefined : { basic, bearer };
}

/**
 * Resolves to the options of the moderator except its source. Throws `UsageError` and `ShapeError`.
 */
async function readModeration(values: Values): Promise<Omit<ModeratorOptions, 'source'>> {
  const { refresh = 60, 'max-stale': maxStale, 'when-stale': whenStale } = values;
  const canary = readCanary(values);
  const guard = values.guard === 'off' ? 'off' : undefined;
  const scorer =
    values.scorer === undefined
      ? undefined
      : (await import('../../live/scorers/http-scorer.js')).createHttpScorer({ url: values.scorer });
  return {
    refreshMs: refresh * 1_000,
    semantics: await readSemanticsFile(values.semantics),
    ...(maxStale !== undefined && { maxStaleMs: maxStale * 1_000, whenStale }),
    ...(values.snapshot !== undefined && { snapshotFile: values.snapshot }),
    guard,
    canary,
    scorer,
  };
}

/**
 * Returns the canary. A limit of N messages becomes a share of all that it keeps. Throws
 * `UsageError`.
 */
function readCanary(values: Values): CanaryOptions | undefined {
  const [stopped, released] = (['newlyStopped', 'released'] as const).map((kind) =>
    readLimit(kind, values[limitOptions[kind]]),
  );
  if (values.canary === undefined) return undefined;
  const messages = values.canary || 1000;
  // Parsed as a decimal, since a division could give another nearest number.
  const shareOf = ({ most }: GateLimit) =>
    'percent' in most ? Number(`${most.percent}e-2`) : Math.min(1, most.messages / messages);
  return {
    messages,
    maxNewlyStopped: stopped === undefined ? 0.05 : shareOf(stopped),
    maxReleased: released && shareOf(released),
  };
}
