/** The line of every command that judges by rules with errors, and the names of their places. */
import type { Issue } from '../engine/compile/issue.js';
import { type Io, printWords } from './io.js';
import { cut, moreWords, wrapped } from './terminal/lines.js';
import type { Output } from './terminal/style.js';
import { counted, escapeText } from './terminal/text.js';

/** Errors that are named in a line, and columns of what each of them says; the rest becomes a number. */
const most = { errors: 3, detail: 100, place: 80 } as const;

/** How the errors of a rule set are named. */
export interface ErrorWords {
  /** Whose errors they are (`in the rules`). */
  readonly where?: string;
  /** The option that lists all of them, where the command has one. */
  readonly option?: string | undefined;
  readonly quote?: (text: string, width: number) => string;
}

/** How many errors there are, and the places and details of the first. */
export interface ErrorSummary {
  /** `3 errors in the rules`. */
  readonly count: string;
  readonly details: string;
}

/** The errors of a rule set in short; `undefined` for none. */
export function errorSummary(
  errors: readonly Issue[],
  { where = 'in the rules', option, quote = cut }: ErrorWords = {},
): ErrorSummary | undefined {
  if (errors.length === 0) return undefined;
  const shown = mostInformative(errors)
    .slice(0, most.errors)
    .map((issue) => {
      const place = issuePlace(issue);
      return `${place === '' ? '' : `${quote(place, most.place)}: `}${quote(issue.detail, most.detail)}`;
    });
  const left = errors.length - shown.length;
  const more = left > 0 ? [`${moreWords(left)}${option === undefined ? '' : ` (${option})`}`] : [];
  return { count: `${counted(errors.length, 'error')} ${where}`, details: [...shown, ...more].join('; ') };
}

/** The same in one line, and the command that says how to mend them: `3 errors in the rules: …; more by sluice lint`. */
export function errorWords(errors: readonly Issue[], words: ErrorWords = {}): string | undefined {
  const summary = errorSummary(errors, words);
  return summary && `${summary.count}: ${summary.details}; more by sluice lint`;
}

/** How many issues of a severity there are: an error leaves something of the rules unevaluated, a warning does not. */
export function issueCount(count: number, severity: Issue['severity']): string {
  return severity === 'error'
    ? `${counted(count, 'error')} in the rules`
    : `${counted(count, 'warning')} about the rules`;
}

/** Errors first, since their parts are not evaluated; then the first issue of each code before the second of any. */
export function mostInformative(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Map<string, number>();
  const ranked = issues.map((issue) => {
    const before = seen.get(issue.code) ?? 0;
    seen.set(issue.code, before + 1);
    return { issue, rank: before + (issue.severity === 'error' ? 0 : issues.length) };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ issue }) => issue);
}

/** The errors as lines of a screen: the first of them, or each on a line of its own. */
export function errorLines(
  errors: readonly Issue[],
  output: Output,
  { verbose }: { readonly verbose: boolean },
): string[] {
  const words = verbose
    ? `${counted(errors.length, 'error')} in the rules`
    : errorWords(errors, { option: '--verbose' });
  if (words === undefined || errors.length === 0) return [];
  const listed = verbose ? errors : [];
  return [
    ...wrapped(words, 'bad', output),
    ...listed.flatMap((issue) => {
      const line = escapeText(`${issuePlace(issue)}: ${issue.code}, ${issue.detail}`);
      return wrapped(`  ${line}`, undefined, output, '    ');
    }),
  ];
}

/** The place of an issue. `index` is into the values of the condition when there is a rule, else into the list's terms. */
export function issuePlace({ ruleId, conditionId, listId, index }: Issue): string {
  const position = index === undefined ? '' : `[${index}]`;
  if (ruleId === undefined) return (listId ?? '') + position;
  const condition = conditionId === undefined ? '' : `#${conditionId}`;
  return ruleId + condition + position + (listId === undefined ? '' : ` → ${listId}`);
}

/**
 * Writes the line to standard error, for a command that prints no screen. Under `--quiet` too: rules that are not evaluated as they
 * are written are an error, whatever the verdict.
 */
export async function printErrorWords(io: Io, words: string | undefined): Promise<void> {
  if (words !== undefined) await printWords(io, `sluice: ${words}\n`);
}
