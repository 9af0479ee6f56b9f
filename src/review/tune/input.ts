/** The input of a tuning: all messages, as often as they are needed, the labelled ones among them, and the cases that hold. */
import type { Auditable } from '../../audit/audit-entry.js';
import { abortable } from '../../audit/source/abortable.js';
import type { Engine } from '../../engine/engine.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { nextTask } from '../../foundation/portions.js';
import { checkCase, differencesOf } from '../cases/test-case.js';
import { ruleIdsOf } from '../cases/test-rules.js';
import { type FoundMessage, type Item, makeItems, sortLabels } from './items.js';
import type { TuneOptions } from './report.js';
import { createScorerChange, curveOf, isOnOtherSide, type ThresholdCurve, thresholdsOf } from './thresholds.js';
import type { HeldCase } from './trial.js';

/** Visits all messages with their scores; one without an id has its place, `#12`. */
export type Walk = (visit: (message: Auditable, id: string, scores: readonly Scores[]) => unknown) => Promise<void>;

/** Longest time for which the event loop is held, in milliseconds. */
const maxHoldMs = 10;

/** Returns a function that visits all messages with their scores, as often as it is called. */
export async function walker({ messages, scores, signal }: TuneOptions): Promise<Walk> {
  let open = messages;
  if (typeof open !== 'function') {
    const all: Auditable[] = [];
    for await (const message of abortable(open, signal)) all.push(message);
    open = () => all;
  }
  const again = open;
  return async (visit) => {
    let place = 0;
    let heldSince = performance.now();
    for await (const message of abortable(again(), signal)) {
      place += 1;
      const id = typeof message === 'string' ? undefined : message.id;
      await visit(message, id ?? `#${place}`, (await scores?.(message)) ?? []);
      if (performance.now() - heldSince < maxHoldMs) continue;
      await nextTask();
      heldSince = performance.now();
    }
  };
}

/** Finds labelled messages, and compares two scorers. */
export async function readMessages(
  { rules, labels, newScores }: TuneOptions,
  engine: Engine,
  walk: Walk,
  how: { readonly holdout: number; readonly seed: number },
) {
  const sorted = sortLabels(labels);
  const places = thresholdsOf(rules.rules);
  const found = new Map<string, FoundMessage>();
  const scorers = createScorerChange(places);
  let messages = 0;
  await walk(async (message, id, scores) => {
    messages += 1;
    if (newScores !== undefined) scorers.add(scores, await newScores(message));
    if (!sorted.byMessage.has(id) || found.has(id)) return;
    found.set(id, { message, scores, decision: engine.explain(message, scores) });
  });
  const carried = newScores === undefined ? [] : scorers.thresholds();
  const differing = places.map((): string[] => []);
  if (newScores !== undefined) {
    await walk(async (message, id, scores) => {
      const fresh = await newScores(message);
      for (const [index, place] of places.entries()) {
        const to = carried[index]?.agrees.greaterThan;
        if (to !== undefined && differing[index]!.length < 20 && isOnOtherSide(place, to, scores, fresh))
          differing[index]!.push(id);
      }
    });
  }
  const thresholds = (made: readonly Item[], precision: number | undefined): readonly ThresholdCurve[] =>
    places.map((place, index) => {
      const own = carried[index];
      return {
        ...curveOf(place, made, precision),
        ...(own && { newScores: { ...own, differing: differing[index]! } }),
      };
    });
  return { ...makeItems(sorted, found, rules.rules, how), messages, thresholds };
}

/** Returns the cases that hold before any change. */
export async function heldCases(
  { cases = [], rules, scores }: TuneOptions,
  engine: Engine,
): Promise<readonly HeldCase[]> {
  const ids = ruleIdsOf(rules);
  const held: HeldCase[] = [];
  for (const [index, one] of cases.entries()) {
    const checked = checkCase(one, `cases[${index}]`, ids);
    const own = checked.media ?? (await scores?.(checked.message)) ?? [];
    if (differencesOf(checked, engine.explain(checked.message, own)).length === 0)
      held.push({ case: checked, scores: own });
  }
  return held;
}
