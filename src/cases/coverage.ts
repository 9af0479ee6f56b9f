import { runs } from '../compile/compile-rule-set.js';
import { IssueLog } from '../compile/issue.js';
import { lowerCondition } from '../compile/lower-condition.js';
import { readTermLists } from '../compile/terms.js';
import { asFields, asList, asString } from '../compile/untrusted.js';
import type { RuleSetInput } from '../engine.js';
import type { Decision, Match } from '../evaluate/decision.js';
import { foldKey } from '../match/folding.js';
import { runAtOnce } from '../portions.js';
import type { Semantics } from '../semantics.js';

/** How much of something was matched. */
export interface CoverageFigure {
  readonly covered: number;
  readonly total: number;
  /** Rounded down: 100 says that all is covered. 100 also where there is nothing. */
  readonly percent: number;
}

/** Entries of a keyword list, or of a rule's own condition, that were matched. */
export interface TermCoverage extends CoverageFigure {
  /** The keyword list; absent for terms and patterns that a condition holds itself. */
  readonly listId?: string;
  /** The rule and condition that hold them; absent for a list. */
  readonly ruleId?: string;
  readonly conditionId?: number;
  /** Entries as written that nothing matched. */
  readonly uncovered: readonly string[];
}

/** What of a rule set was matched. Rules that do not run, by the reading `runs`, are left out, as are lists that no rule that runs names. */
export interface RuleCoverage {
  readonly rules: CoverageFigure & { readonly uncovered: readonly string[] };
  readonly conditions: CoverageFigure & {
    readonly uncovered: readonly { readonly ruleId: string; readonly conditionId: number }[];
  };
  /**
   * Terms and patterns. Blank ones are none, repeated ones are one, as are those that differ by case alone unless the reading `folding` is
   * `exact`.
   */
  readonly terms: CoverageFigure & { readonly sources: readonly TermCoverage[] };
}

/** Notes what decisions matched. */
export interface CoverageCounter {
  add(decision: Decision): void;
  report(): RuleCoverage;
}

/** A condition of a rule that runs. */
interface ConditionEntry {
  readonly ruleId: string;
  readonly conditionId: number;
  covered: boolean;
}

/** Where terms stand: a list or a condition. Entries by key; the values are the entries as written first. */
interface TermEntries {
  readonly name: Pick<TermCoverage, 'listId' | 'ruleId' | 'conditionId'>;
  readonly uncovered: Map<string, string>;
  total: number;
}

/** Keys for maps by rule and condition. */
const keyOf = (ruleId: string, conditionId: number) => JSON.stringify([ruleId, conditionId]);

/**
 * Creates a counter for the rules of a rule set that run. What there is to be matched is what compilation lowers the rule set to. Its
 * memory is in proportion to the rule set.
 */
export function createCoverageCounter({ rules, lists }: RuleSetInput, semantics: Semantics): CoverageCounter {
  const folding = semantics.folding === 'exact' ? 'exact' : 'case';
  const conditions = new Map<string, ConditionEntry>();
  const ruleIds = new Map<string, boolean>();
  const sources = new Map<string, TermEntries>();
  const termKey = (isPattern: boolean, written: string) =>
    isPattern ? `/${written}` : `"${foldKey(written, folding)}`;
  const sourceKey = (listId: string | undefined, ruleId: string, conditionId: number) =>
    listId === undefined ? keyOf(ruleId, conditionId) : JSON.stringify(listId);

  const log = new IssueLog();
  const termLists = runAtOnce(readTermLists(lists, log));
  for (const rule of rules) {
    if (asString(asFields(rule)?.id) === undefined || !runs(rule, semantics)) continue;
    ruleIds.set(rule.id, false);
    for (const [position, condition] of asList(rule.conditions).entries()) {
      const fields = asFields(condition) ?? {};
      const conditionId = typeof fields.id === 'number' ? fields.id : position + 1;
      conditions.set(keyOf(rule.id, conditionId), { ruleId: rule.id, conditionId, covered: false });
      const context = { place: {}, lists: termLists, missing: new Map(), room: Number.POSITIVE_INFINITY, log };
      const lowered = runAtOnce(lowerCondition(fields, context));
      if (lowered === undefined || lowered.kind === 'scores') continue;
      for (const { written, list } of lowered.sources) {
        const key = sourceKey(list?.id, rule.id, conditionId);
        const name = list === undefined ? { ruleId: rule.id, conditionId } : { listId: list.id };
        const entries = sources.get(key) ?? { name, uncovered: new Map(), total: 0 };
        sources.set(key, entries);
        const term = termKey(lowered.kind === 'patterns', written);
        if (entries.uncovered.has(term)) continue;
        entries.uncovered.set(term, written);
        entries.total += 1;
      }
    }
  }

  const note = (match: Match, ruleId: string, conditionId: number): void => {
    if (match.kind === 'score') return;
    const term = match.kind === 'word' ? termKey(false, match.term) : termKey(true, match.pattern);
    sources.get(sourceKey(match.listId, ruleId, conditionId))?.uncovered.delete(term);
  };
  return {
    add({ matched }) {
      for (const hit of matched) {
        ruleIds.set(hit.ruleId, true);
        for (const { conditionId, matches } of hit.conditions) {
          const entry = conditions.get(keyOf(hit.ruleId, conditionId));
          if (entry !== undefined) entry.covered = true;
          for (const match of matches) note(match, hit.ruleId, conditionId);
        }
      }
    },
    report() {
      const entries = [...conditions.values()];
      const open = entries.filter(({ covered }) => !covered);
      const openRules = [...ruleIds].flatMap(([ruleId, covered]) => (covered ? [] : [ruleId]));
      const terms = [...sources.values()].map(
        ({ name, uncovered, total }): TermCoverage => ({
          ...name,
          ...figure(total - uncovered.size, total),
          uncovered: [...uncovered.values()],
        }),
      );
      const sum = (read: (source: TermCoverage) => number) => terms.reduce((total, source) => total + read(source), 0);
      return {
        rules: { ...figure(ruleIds.size - openRules.length, ruleIds.size), uncovered: openRules },
        conditions: {
          ...figure(entries.length - open.length, entries.length),
          uncovered: open.map(({ ruleId, conditionId }) => ({ ruleId, conditionId })),
        },
        terms: {
          ...figure(
            sum(({ covered }) => covered),
            sum(({ total }) => total),
          ),
          sources: terms,
        },
      };
    },
  };
}

function figure(covered: number, total: number): CoverageFigure {
  return { covered, total, percent: total === 0 ? 100 : Math.floor((100 * covered) / total) };
}
