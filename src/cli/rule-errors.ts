/** The wording of errors and warnings of rules, and the names of their places. */
import { idlenessOf } from '../engine/compile/contents.js';
import type { Issue, IssuePlace } from '../engine/compile/issue.js';
import type { Engine } from '../engine/engine.js';
import { engineParts } from '../engine/evaluate/engine-parts.js';
import type { SideErrors } from '../review/compare/rule-errors.js';
import { type Block, joined, list, moreWords, paragraph, plain, type Words, words } from './document/document.js';
import { plainText } from './document/runs.js';
import { type Io, printWords } from './io.js';
import type { Reporter } from './terminal/progress.js';
import { counted, formatCount } from './terminal/text.js';

/** Number of errors that are named in one line, and widths of details and places in columns. */
const most = { errors: 3, detail: 100, idleDetail: 160, place: 80 } as const;

/** Options for naming the errors of a rule set. */
interface ErrorWords {
  /** The rules that have the errors. Default: `in the rules`. */
  readonly where?: string;
  /** The option that lists all of them, if the command has one. */
  readonly option?: string | undefined;
}

/**
 * Describes the number of errors, and the places and details of the first ones: `3 errors in the
 * rules`. `undefined` if there are none.
 */
export function errorSummary(
  errors: readonly Issue[],
  { where = 'in the rules', option }: ErrorWords = {},
): { readonly count: string; readonly details: Words } | undefined {
  if (errors.length === 0) return undefined;
  return { count: `${counted(errors.length, 'error')} ${where}`, details: detailsOf(mostInformative(errors), option) };
}

/** Describes the places and details of the first issues, and counts the others. */
function detailsOf(
  issues: readonly Omit<Issue, 'code' | 'severity'>[],
  option?: string,
  width: number = most.detail,
): Words {
  const shown = issues.slice(0, most.errors).map((issue) => {
    const place = issuePlace(issue);
    return words`${place === '' ? undefined : words`${plain(place, most.place)}: `}${plain(issue.detail, width)}`;
  });
  const left = issues.length - shown.length;
  const rest = left > 0 ? [`${moreWords(left)}${option === undefined ? '' : ` (${option})`}`] : [];
  return joined([...shown, ...rest], '; ');
}

/** Rules that tell what they consist of: an engine, or a live moderator. */
type IdleRules = Pick<Engine, typeof engineParts>;

/** Describes in one line which of the rules can stop nothing. Empty if all of them can. */
export function idleWords(rules: IdleRules): string {
  const { compiled, semantics } = rules[engineParts]!();
  const { canStop, parts } = idlenessOf(compiled, semantics);
  if (canStop && parts.length === 0) return '';
  const verb = parts.length === 1 ? 'does not stop what it is' : 'do not stop what they are';
  const some = `${counted(parts.length, 'part')} of the rules ${verb} meant to stop`;
  const details = parts.length === 0 ? 'no rule runs' : detailsOf(parts, undefined, most.idleDetail);
  return plainText(words`warning: ${canStop ? some : 'no rule can stop a message'}: ${details}; more by sluice lint`);
}

/**
 * Describes the errors in one line, with the command that says how to fix them: `3 errors in the
 * rules: …; more by sluice lint`.
 */
export function errorWords(errors: readonly Issue[], how: ErrorWords = {}): Words | undefined {
  const summary = errorSummary(errors, how);
  return summary && words`${summary.count}: ${summary.details}; more by sluice lint`;
}

/**
 * Returns a clause about the errors of each side, or one about both. Errors that the other side
 * does not have come first.
 */
export function sideErrorClauses({ rules, against, added, removed }: SideErrors): Words[] {
  const clauseOf = (all: readonly Issue[], alone: readonly Issue[], side: string, where = '') => {
    const isOwn = new Set(alone);
    const share =
      alone.length === 0 || alone.length === all.length ? '' : `, ${formatCount(alone.length)} of them not ${where}`;
    return errorWords([...alone, ...all.filter((issue) => !isOwn.has(issue))], { where: side + share });
  };
  const clauses =
    added.length + removed.length === 0
      ? [clauseOf(rules, [], 'in the new rules and in the old')]
      : [
          clauseOf(rules, added, 'in the new rules', 'in the old'),
          clauseOf(against, removed, 'in the old rules', 'in the new'),
        ];
  return clauses.filter((clause) => clause !== undefined);
}

/**
 * Describes the number of issues of a severity. An error leaves something in the rules unevaluated,
 * a warning does not.
 */
export function issueCount(count: number, severity: Issue['severity']): string {
  return severity === 'error'
    ? `${counted(count, 'error')} in the rules`
    : `${counted(count, 'warning')} about the rules`;
}

/** Sorts issues: errors first, then the first issue of each code before further ones. */
export function mostInformative(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Map<string, number>();
  const ranked = issues.map((issue) => {
    const before = seen.get(issue.code) ?? 0;
    seen.set(issue.code, before + 1);
    return { issue, rank: before + (issue.severity === 'error' ? 0 : issues.length) };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ issue }) => issue);
}

/** Returns the errors for a screen: the first ones in one paragraph, or each on its own line. */
export function errorBlocks(errors: readonly Issue[], { verbose }: { readonly verbose: boolean }): readonly Block[] {
  if (errors.length === 0) return [];
  if (!verbose) return [paragraph(errorWords(errors, { option: '--verbose' })!, 'bad')];
  const lines = errors.map((issue) => plain(`${issuePlace(issue)}: ${issue.code}, ${issue.detail}`));
  return [paragraph(issueCount(errors.length, 'error'), 'bad'), ...list(lines)];
}

/**
 * Describes the place of an issue. `index` refers to the values of the condition if there is a
 * rule, otherwise to the terms of the list.
 */
export function issuePlace({ ruleId, conditionId, listId, index }: IssuePlace): string {
  const position = index === undefined ? '' : `[${index}]`;
  if (ruleId === undefined) return (listId ?? '') + position;
  const condition = conditionId === undefined ? '' : `#${conditionId}`;
  return ruleId + condition + position + (listId === undefined ? '' : ` → ${listId}`);
}

/**
 * Writes the errors of rules to standard error, also with `--quiet`. For commands that print no
 * screen.
 */
export async function printErrors(io: Io, errors: readonly Issue[]): Promise<void> {
  await printErrorWords(io, errorWords(errors));
}

/** Says on stderr, except with `--quiet`, which of the rules can stop nothing. */
export async function noteIdle({ reporter }: { readonly reporter: Reporter }, rules: IdleRules): Promise<void> {
  const text = idleWords(rules);
  if (text !== '') await reporter.note(text);
}

/** Writes a text about errors to standard error. */
export async function printErrorWords(io: Io, text: Words | undefined): Promise<void> {
  if (text !== undefined) await printWords(io, `sluice: ${plainText(text)}\n`);
}
