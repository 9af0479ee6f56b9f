/**
 * A moderator that reports on stderr what happens with its rules, and accepts rules that a file
 * names.
 */
import type { ScoreTable } from '../../audit/source/scores.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { decodeText } from '../../foundation/files/json.js';
import { readBytes } from '../../foundation/files/read-file.js';
import type { HandlerKeys } from '../../live/http/handler.js';
import type { HeldRuleSet } from '../../live/moderator/guard.js';
import type { Moderator } from '../../live/moderator/moderator.js';
import type { ModeratorOptions } from '../../live/moderator/options.js';
import type { StatusError } from '../../live/moderator/status.js';
import type { RunContext } from '../command.js';
import { plainText } from '../document/runs.js';
import { messageWords } from '../failure.js';
import { errorWords, idleWords, printErrors } from '../rule-errors.js';
import { escapeText } from '../terminal/text.js';
import { type LateModerator, lateModerator } from './late-moderator.js';

/** How a moderator starts. */
interface Start {
  readonly label: string;
  readonly isFile: boolean;
  readonly table: ScoreTable;
  readonly acceptFile: string | undefined;
}

/**
 * Starts to load rules. Reports their errors on stderr, and why there are no rules or no newer
 * ones. Each reason is reported once until it changes. The rules of a file must be valid at the
 * start, since only their author can fix them.
 */
export function startModerator(
  options: ModeratorOptions,
  { label, isFile, table, acceptFile }: Start,
  context: RunContext,
): LateModerator {
  const { reporter } = context;
  const said = { reason: '', errors: '', accepted: '', idle: '' };
  const say = (kind: keyof typeof said, text: string, reason = text): void => {
    if (reason !== said[kind] && text !== '') void reporter.note(`warning: ${text}`);
    said[kind] = reason;
  };
  let isHeld = false;
  const report = async (moderator: Moderator, error?: StatusError): Promise<void> => {
    const { revisions, problem = '' } = acceptFile === undefined ? noRevisions : await readAcceptFile(acceptFile);
    say('accepted', problem);
    const { held, failures, state } = moderator.status;
    // If accepted, another refresh follows, which reports the result.
    if (held !== undefined && revisions.has(held.revision) && (await moderator.accept(held.revision))) {
      await reporter.note(`rules that were accepted are in use: revision ${held.revision}`);
      isHeld = false;
    } else if (held !== undefined && failures === 0) say('reason', heldWords(held, state, acceptFile), held.revision);
    else if (error !== undefined) say('reason', `the rules were not refreshed: ${error.message}`);
    else {
      if (isHeld) await reporter.note(`no rules are held back any more: those of ${label} are in use`);
      said.reason = '';
    }
    isHeld = moderator.status.held !== undefined || (isHeld && error !== undefined);
    const errors = errorsOf(moderator);
    const errorText = plainText(errorWords(errors) ?? '');
    if (errorText !== said.errors) await printErrors(context, errors);
    said.errors = errorText;
    const idle = idleWords(moderator);
    if (idle !== '' && idle !== said.idle) await reporter.note(idle);
    said.idle = idle;
  };
  return lateModerator(
    async (signal) => {
      const { createModerator } = await import('../../live/moderator/moderator.js');
      const moderator = await createModerator({ ...options, signal });
      moderator.on('warning', ({ message }) => void reporter.note(`warning: ${message}`));
      await report(moderator, moderator.status.lastError);
      return moderator.on('refresh', ({ error }) => void report(moderator, error).catch(() => {}));
    },
    (error) => {
      if (isFile) throw error;
      say('reason', `no rules yet of ${label}: ${messageWords(error)}`);
    },
    table,
  );
}

interface AcceptedRevisions {
  readonly revisions: ReadonlySet<string>;
  readonly problem?: string | undefined;
}

const noRevisions: AcceptedRevisions = { revisions: new Set() };

/**
 * Reads a file of accepted revisions, one on each line. Blank lines and lines that begin with `#`
 * are ignored. `problem` says why the file cannot be read, or which line is wrong. Never rejects.
 */
async function readAcceptFile(path: string): Promise<AcceptedRevisions> {
  try {
    const bytes = await readBytes(path, 'read accepted revisions from', { isRegular: true });
    const revisions = new Set<string>();
    let problem: string | undefined;
    for (const [index, line] of decodeText(bytes, path).split('\n').entries()) {
      const word = line.trim();
      if (word === '' || word.startsWith('#')) continue;
      if (/^[0-9a-f]{32}$/.test(word)) revisions.add(word);
      else
        problem ??= `${path}:${index + 1}: must be a revision of 32 hexadecimal characters, as \`sluice lint --json\` prints it`;
    }
    return { revisions, problem };
  } catch (error) {
    return { revisions: new Set(), problem: (error as Error).message };
  }
}

/** Describes which rules are held back, why, and how to accept them. */
function heldWords({ reason, revision }: HeldRuleSet, state: string, acceptFile: string | undefined): string {
  const what =
    state === 'no-rules'
      ? `there are no rules yet, and /readyz is 503: ${reason}`
      : `new rules are held back: ${reason}`;
  return `${what}; to take them, write the line ${revision} into ${acceptFile ?? 'a file, and start with `--accept-file FILE`'}`;
}

/** Returns what is printed about a moderator that is ready. */
export function friendlyWords(url: string, label: string, auth: HandlerKeys | undefined): string {
  const key =
    auth?.bearer !== undefined ? ' -H "authorization: Bearer $SLUICE_TOKEN"' : auth ? ' -u "$SLUICE_BASIC"' : '';
  return [
    `answering at ${url} by the rules of ${escapeText(label)}, until Ctrl-C`,
    '',
    'try:',
    `  curl${key} --json '"You moron!"' ${url}/decide`,
    `  curl ${url}/readyz`,
    '',
  ].join('\n');
}
