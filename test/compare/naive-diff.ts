/**
 * The naive diff: every message judged by the oracle on both sides, and all causes counted from its answers. Shares nothing with
 * the diff of the house but the words for kinds.
 */
import type { DiffCause, DiffKind, Message, Scores } from '../../src/index.js';
import { naiveChoice } from '../support/naive-rank.js';
import { judge, type OracleAnswer } from '../support/oracle.js';
import type { Readings } from '../support/oracle-world.js';
import type { PlainRuleSet } from './mutations.js';

export interface NaiveSide extends PlainRuleSet {
  readonly readings: Readings;
}

interface Occurrence {
  readonly cause: string;
  readonly messageId: string;
  readonly onlyCause: boolean;
}

/** A cause in a form in which both diffs can be compared. */
export const causeKey = (cause: { readonly [Field in keyof DiffCause]?: unknown }): string =>
  JSON.stringify([
    cause.kind,
    cause.of,
    cause.ruleId,
    cause.conditionId,
    cause.listId,
    cause.term,
    cause.pattern,
    cause.threshold,
    cause.exception,
  ]);

export function naiveDiff(
  messages: readonly Message[],
  media: readonly Scores[],
  rules: NaiveSide,
  against: NaiveSide,
  examples: number,
) {
  const counts: Record<DiffKind, number> = { newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
  const unevaluated = { rules: 0, against: 0 };
  const occurrences: Occurrence[] = [];
  for (const message of messages) {
    const before = judge({ ...against, message, media });
    const after = judge({ ...rules, message, media });
    unevaluated.rules += after.unevaluated.length > 0 ? 1 : 0;
    unevaluated.against += before.unevaluated.length > 0 ? 1 : 0;
    const kind = kindOf(before, after);
    if (kind === undefined) continue;
    counts[kind] += 1;
    const isNew = after.restsOn.filter((id) => !before.restsOn.includes(id));
    const isGone = before.restsOn.filter((id) => !after.restsOn.includes(id));
    const causes =
      kind === 'released'
        ? causesOf({ kind, of: 'against' }, before, after, before.restsOn, against)
        : kind !== 'reasonOnly'
          ? causesOf({ kind, of: 'rules' }, after, before, after.restsOn, rules)
          : isNew.length > 0
            ? causesOf({ kind, of: 'rules' }, after, before, isNew, rules)
            : causesOf({ kind, of: 'against' }, before, after, isGone, against);
    occurrences.push(...causes.map((cause) => ({ cause, messageId: message.id, onlyCause: causes.length === 1 })));
  }
  const causes = [...new Set(occurrences.map(({ cause }) => cause))].map((cause) => {
    const own = occurrences.filter((each) => each.cause === cause);
    return {
      cause,
      messages: own.length,
      onlyCause: own.filter(({ onlyCause }) => onlyCause).length,
      examples: naiveChoice(own, examples).map(({ messageId }) => messageId),
    };
  });
  return { ...counts, unevaluated, causes: causes.sort((a, b) => (a.cause < b.cause ? -1 : 1)) };
}

function kindOf(before: OracleAnswer, after: OracleAnswer): DiffKind | undefined {
  if (before.verdict === 'allow' && after.verdict !== 'allow') return 'newlyStopped';
  if (before.verdict !== 'allow' && after.verdict === 'allow') return 'released';
  if (before.verdict !== after.verdict) return 'changed';
  if (after.verdict === 'allow') return undefined;
  return String([...before.restsOn].sort()) === String([...after.restsOn].sort()) ? undefined : 'reasonOnly';
}

function causesOf(
  side: { readonly kind: DiffKind; readonly of: 'rules' | 'against' },
  answer: OracleAnswer,
  other: OracleAnswer,
  ruleIds: readonly string[],
  { rules }: NaiveSide,
): string[] {
  const causes = ruleIds.flatMap((ruleId) =>
    Object.entries(answer.matched[ruleId]!).flatMap(([number, found]) => {
      const rule = rules.find(({ id }) => id === ruleId)!;
      const condition = rule.conditions.find(({ id }, index) => (id ?? index + 1) === Number(number))!;
      const place = { ...side, ruleId, conditionId: Number(number) };
      const things = found.map((match) => {
        const score = /^scores\[\d+\] .* \d+(?:\.\d+)? (\D.*) (\S+)$/.exec(match);
        if (score !== null) return { threshold: { label: score[1]!, greaterThan: Number(score[2]) } };
        const [, thing, list] = /^\S+(?: key"\]\S*)? \d+ \d+ (.*) (\S*)$/s.exec(match)!;
        // What keeps the same match from counting on the other side.
        const excepted = other.excepted.find((one) => one.startsWith(`${ruleId}#`) && one.includes(` ${match} < `));
        const exception = excepted?.slice(excepted.indexOf(` ${match} < `) + match.length + 4);
        const listed = { ...(list !== '' && { listId: list }), ...(exception !== undefined && { exception }) };
        return condition.category === 'pattern' ? { pattern: thing, ...listed } : { term: thing, ...listed };
      });
      return (things.length > 0 ? things : [{}]).map((thing) => causeKey({ ...place, ...thing }));
    }),
  );
  return [...new Set(causes)];
}
