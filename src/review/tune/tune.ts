/** Better rules from labels: changes that free what was stopped wrongly, or find what was missed, each tried by an engine of the changed rules. */
import { stops } from '../../engine/compile/verdicts.js';
import { compileEngine, type Engine } from '../../engine/engine.js';
import { digest } from '../../foundation/digest.js';
import { nextTask } from '../../foundation/portions.js';
import { checkOptions } from '../../foundation/unknown-options.js';
import { candidatesFor } from './candidates.js';
import type { Change, Parts } from './changes.js';
import { heldCases, readMessages, type Walk, walker } from './input.js';
import type { Item } from './items.js';
import { checks, type TunedRules, type TuneOptions, type TuneReport } from './report.js';
import { thresholdChanges } from './thresholds.js';
import { chanceOf, effectOf, holding, messagesOf, precisionOf, type Trial, tryParts } from './trial.js';

/** Changes that are tried at most, and those that are held to the labels kept aside. */
const mostTried = 200;
const mostHeld = 20;
/** The probability, at most, that any proposal holds where labels have nothing to do with the messages. */
const level = 0.05;
/** The same for one change on the labels that it was made from: those above are not held to the labels kept aside, so that fewer are. */
const siftLevel = 0.2;

/**
 * Proposes changes of rules by labels: exceptions, stricter or wider readings, word edges of patterns, terms to take out, thresholds. Each
 * frees or finds at least two labelled messages, loses none that was judged rightly and breaks no case, as an engine of the changed rules
 * decides. With 30 labels or more, a share of them is kept aside; a proposal is returned only if it does the same there, more often than chance
 * would, corrected for the number of proposals that are held to them. So labels that are random lead to a proposal in at most one of 20
 * sets. Rejects with `UsageError` for unknown options, with `ShapeError` for a wrong label or case, and with `signal.reason`.
 *
 * @example
 * ```ts
 * async function better(rules: RuleSet, messages: Message[], labels: Label[]): Promise<RuleSetInput | undefined> {
 *   const { proposals } = await tuneRules({ rules, messages, labels });
 *   for (const { detail, freed, released } of proposals) console.log(detail, freed, released);
 *   return proposals[0]?.ruleSet;
 * }
 * ```
 */
export async function tuneRules(options: TuneOptions): Promise<TuneReport> {
  const { report } = await tuning(options);
  return report;
}

/** Does the work of `tuneRules`, and returns beside the report a function that makes and tries several of its proposals together. */
export async function tuning(options: TuneOptions) {
  checkOptions('`tuneRules`', options, checks);
  const { rules, semantics, precision, eager = false, holdout = 0.3, seed = 1, signal } = options;
  const parts: Parts = { ruleSet: rules, semantics };
  const engine = await compileEngine(rules, semantics, { signal });
  try {
    const walk = await walker(options);
    const { items, use, messages, thresholds } = await readMessages(options, engine, walk, { holdout, seed });
    const made = items.filter(({ isAside }) => !isAside);
    const curves = thresholds(made, precision);
    const cases = await heldCases(options, engine);
    const judge = (changed: Parts, on: readonly Item[]) => tryParts(changed, on, cases, signal);
    const least = eager ? 1 : 2;
    const changes = [...curves.flatMap(thresholdChanges), ...candidatesFor(made, parts, least)].slice(0, mostTried);
    const { passed, dropped } = await sift(changes, parts, made, judge, {
      least,
      maySift: use.aside > 0,
      mayLose: precision !== undefined,
    });
    const kept = hold(passed, items, precision !== undefined);
    const describe = (all: readonly Changed[]) => describeAll(all, items, engine, walk);
    const ranked = (await describe(kept))
      .map((tuned, at) => ({ change: kept[at]!.change, tuned }))
      .sort(
        ({ tuned: one }, { tuned: other }) =>
          other.freed + other.found - one.freed - one.found || one.unlabelled - other.unlabelled,
      );
    /** Makes the proposals of some indices together, and tries them. */
    const together = async (members: readonly number[], comment?: (index: number) => string) => {
      const changed = members.reduce((now, index) => ranked[index]!.change.apply(now, comment?.(index)), parts);
      const trial = await judge(changed, items);
      trial.engine.close();
      return { ...trial, parts: withRevision(changed) };
    };
    const set = await greedySet(ranked.length, together, describe);
    const status = use.aside > 0 ? ('holds' as const) : ('suggestion' as const);
    const report: TuneReport = {
      proposals: ranked.map(({ change: { kind, detail }, tuned }) => ({ kind, detail, status, ...tuned })),
      set,
      thresholds: curves,
      labels: use,
      messages,
      tried: changes.length,
      notHeld: dropped + passed.length - kept.length,
    };
    return { report, together };
  } finally {
    engine.close();
  }
}

/** Changed rules with their engine. */
interface Changed {
  readonly parts: Parts;
  readonly engine: Engine;
}

/** A change that passed. */
interface Kept extends Changed {
  readonly change: Change;
  /** How little the change looks like chance on the labels that it was made from: its share of the level of the test. */
  readonly weight: number;
}

/** Changes of one subject that are held to the labels kept aside, at most. */
const mostOfSubject = 2;

/**
 * Tries changes on the labels that they were made from, and returns those that free or find enough, lose nothing and break no case; of one
 * subject the best two. Where labels are kept aside, changes that chance could have made as well are left out.
 */
async function sift(
  changes: readonly Change[],
  parts: Parts,
  items: readonly Item[],
  judge: (parts: Parts, items: readonly Item[]) => Promise<Trial>,
  { least, maySift, mayLose }: { readonly least: number; readonly maySift: boolean; readonly mayLose: boolean },
): Promise<{ readonly passed: readonly Kept[]; readonly dropped: number }> {
  const passed: (Kept & { readonly freed: number })[] = [];
  let dropped = 0;
  for (const change of changes) {
    const changed = change.apply(parts);
    if (changed === parts) continue;
    const { engine, effect, breaksCase } = await judge(changed, items);
    const freed = messagesOf([...effect.freed, ...effect.found]);
    const isLoss = effect.lost.length > 0 && !(mayLose && change.kind === 'threshold');
    const chance = chanceOf(effect, items);
    const isChance = maySift && chance > siftLevel;
    const isPassed = freed >= least && !isLoss && !breaksCase;
    if (isPassed && isChance) dropped += 1;
    if (isPassed && !isChance) passed.push({ change, parts: changed, engine, freed, weight: 1e-9 - Math.log(chance) });
    else engine.close();
    await nextTask();
  }
  const ranked = passed.sort((one, other) => other.freed - one.freed || one.change.size - other.change.size);
  const bySubject = new Map<string, number>();
  const kept = ranked.filter(({ change: { subject } }) => {
    const before = bySubject.get(subject) ?? 0;
    bySubject.set(subject, before + 1);
    return before < mostOfSubject;
  });
  for (const one of ranked) if (!kept.slice(0, mostHeld).includes(one)) one.engine.close();
  return { passed: kept.slice(0, mostHeld), dropped };
}

/**
 * Holds changes to the labels that were kept aside, once; all are kept without such labels. Those that hold explain the items that they change, so
 * that the others are held to the rest again. If labels are all chance, nothing holds in the first round but with the probability of the level.
 */
function hold(passed: readonly Kept[], items: readonly Item[], mayLose: boolean): readonly Kept[] {
  const aside = items.filter(({ isAside }) => isAside);
  if (aside.length === 0) return passed;
  const open = new Map(passed.map((one) => [one, effectOf(one.engine, aside)]));
  const kept = new Set<Kept>();
  const explained = new Set<Item>();
  for (let before = -1; before < kept.size; ) {
    before = kept.size;
    const isLeft = (item: Item) => !explained.has(item);
    const rest = aside.filter(isLeft);
    const asked = [...open].filter(([one]) => !kept.has(one));
    const chances = asked.map(([{ change, weight }, { freed, found, lost }]) => {
      const isLoss = lost.length > 0 && !(mayLose && change.kind === 'threshold');
      const effect = { freed: freed.filter(isLeft), found: found.filter(isLeft), lost: lost.filter(isLeft) };
      return { weight, chance: isLoss ? 1 : chanceOf(effect, rest) };
    });
    for (const index of holding(chances, level)) {
      const [one, { freed, found, lost }] = asked[index]!;
      kept.add(one);
      for (const item of [...freed, ...found, ...lost]) explained.add(item);
    }
  }
  for (const one of passed) if (!kept.has(one)) one.engine.close();
  return [...kept];
}

/** Describes changes by labels and over all messages, and closes their engines. */
async function describeAll(
  kept: readonly Changed[],
  items: readonly Item[],
  engine: Engine,
  walk: Walk,
): Promise<readonly TunedRules[]> {
  const labelled = new Set(items.map(({ messageId }) => messageId));
  const counts = kept.map(() => ({ released: 0, unlabelled: 0, newlyStopped: 0 }));
  if (kept.length > 0) {
    await walk((message, id, scores) => {
      const isStopped = stops(engine.decide(message, scores));
      for (const [index, own] of kept.entries()) {
        if (stops(own.engine.decide(message, scores)) === isStopped) continue;
        const count = counts[index]!;
        if (!isStopped) count.newlyStopped += 1;
        else {
          count.released += 1;
          if (!labelled.has(id)) count.unlabelled += 1;
        }
      }
    });
  }
  const aside = items.filter(({ isAside }) => isAside);
  const of = aside.length > 0 ? aside : items;
  return kept.map(({ parts, engine: own }, index) => {
    const { freed, found, lost } = effectOf(own, items);
    const after = precisionOf(of, effectOf(own, of));
    own.close();
    const { ruleSet, semantics } = withRevision(parts);
    return {
      ruleSet,
      ...(semantics && Object.keys(semantics).length > 0 && { semantics }),
      freed: messagesOf(freed),
      found: messagesOf(found),
      lost: messagesOf(lost),
      ...counts[index]!,
      examples: [...new Set([...freed, ...found].map(({ messageId }) => messageId))].slice(0, 5),
      precision: { before: precisionOf(of), after, isAside: aside.length > 0 },
    };
  });
}

/** Returns parts whose rule set has the revision of its rules and lists, if it had one. */
function withRevision(parts: Parts): Parts {
  const { rules, lists, revision } = parts.ruleSet;
  return revision === undefined
    ? parts
    : { ...parts, ruleSet: { ...parts.ruleSet, revision: digest({ rules, lists }) } };
}

/** Takes proposals together as long as each frees or finds more and none loses anything. */
async function greedySet(
  count: number,
  together: (members: readonly number[]) => Promise<Omit<Trial, 'engine'> & { readonly parts: Parts }>,
  describe: (kept: readonly Changed[]) => Promise<readonly TunedRules[]>,
): Promise<TuneReport['set']> {
  let members: readonly number[] = [];
  let freed = 0;
  for (let index = 0; index < count; index++) {
    const { effect, breaksCase } = await together([...members, index]);
    const now = messagesOf([...effect.freed, ...effect.found]);
    if (breaksCase || effect.lost.length > 0 || now <= freed) continue;
    members = [...members, index];
    freed = now;
  }
  if (members.length < 2) return null;
  const { parts } = await together(members);
  const [tuned] = await describe([{ parts, engine: await compileEngine(parts.ruleSet, parts.semantics) }]);
  return { ...tuned!, members };
}
