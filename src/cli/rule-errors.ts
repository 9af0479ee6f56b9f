/** Errors and warnings of rules in words, and the names of their places. */
import type { Issue } from '../engine/compile/issue.js';
import { type Block, joined, list, moreWords, paragraph, plain, type Words, words } from './document/document.js';
import { plainText } from './document/runs.js';
import { type Io, printWords } from './io.js';
import { counted } from './terminal/text.js';

/** Number of errors that are named in a line, and columns for the details of each. */
const most = { errors: 3, detail: 100, place: 80 } as const;

/** How the errors of a rule set are named. */
interface ErrorWords {
  /** The rules that have them (`in the rules`). */
  readonly where?: string;
  /** The option that lists all of them, where the command has one. */
  readonly option?: string | undefined;
}

/** Returns the number of errors, and the places and details of the first: `3 errors in the rules`; `undefined` for none. */
export function errorSummary(
  errors: readonly Issue[],
  { where = 'in the rules', option }: ErrorWords = {},
): { readonly count: string; readonly details: Words } | undefined {
  if (errors.length === 0) return undefined;
  const shown = mostInformative(errors)
    .slice(0, most.errors)
    .map((issue) => {
      const place = issuePlace(issue);
      return words`${place === '' ? undefined : words`${plain(place, most.place)}: `}${plain(issue.detail, most.detail)}`;
    });
  const left = errors.length - shown.length;
  const rest = left > 0 ? [`${moreWords(left)}${option === undefined ? '' : ` (${option})`}`] : [];
  return { count: `${counted(errors.length, 'error')} ${where}`, details: joined([...shown, ...rest], '; ') };
}

/** Returns the errors in one line, and the command that says how to fix them: `3 errors in the rules: …; more by sluice lint`. */
export function errorWords(errors: readonly Issue[], how: ErrorWords = {}): Words | undefined {
  const summary = errorSummary(errors, how);
  return summary && words`${summary.count}: ${summary.details}; more by sluice lint`;
}

/** Returns the number of issues of a severity. An error leaves a part of the rules unevaluated, a warning does not. */
export function issueCount(count: number, severity: Issue['severity']): string {
  return severity === 'error'
    ? `${counted(count, 'error')} in the rules`
    : `${counted(count, 'warning')} about the rules`;
}

/** Issues with errors first; then the first issue of each code before the second of any. */
export function mostInformative(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Map<string, number>();
  const ranked = issues.map((issue) => {
    const before = seen.get(issue.code) ?? 0;
    seen.set(issue.code, before + 1);
    return { issue, rank: before + (issue.severity === 'error' ? 0 : issues.length) };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ issue }) => issue);
}

/** Returns the errors on a screen: the first of them in one paragraph, or each on a line of its own. */
export function errorBlocks(errors: readonly Issue[], { verbose }: { readonly verbose: boolean }): readonly Block[] {
  if (errors.length === 0) return [];
  if (!verbose) return [paragraph(errorWords(errors, { option: '--verbose' })!, 'bad')];
  const lines = errors.map((issue) => plain(`${issuePlace(issue)}: ${issue.code}, ${issue.detail}`));
  return [paragraph(issueCount(errors.length, 'error'), 'bad'), ...list(lines)];
}

/** Returns the place of an issue. `index` is into the values of the condition when there is a rule, else into the list's terms. */
export function issuePlace({ ruleId, conditionId, listId, index }: Issue): string {
  const position = index === undefined ? '' : `[${index}]`;
  if (ruleId === undefined) return (listId ?? '') + position;
  const condition = conditionId === undefined ? '' : `#${conditionId}`;
  return ruleId + condition + position + (listId === undefined ? '' : ` → ${listId}`);
}

/** Writes the errors of rules to standard error, also under `--quiet`, for a command that prints no screen. */
export async function printErrors(io: Io, errors: readonly Issue[]): Promise<void> {
  await printErrorWords(io, errorWords(errors));
}

/** Writes words on errors to standard error. */
export async function printErrorWords(io: Io, text: Words | undefined): Promise<void> {
  if (text !== undefined) await printWords(io, `sluice: ${plainText(text)}\n`);
}
