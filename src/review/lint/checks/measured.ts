/** Checks by messages: which terms and patterns never fire, fire most, fire inside longer words only, or together with another. */

import { longestExcerpt } from '../../../audit/count/excerpt.js';
import { createUnmatched } from '../../../audit/count/unmatched.js';
import { precisionInterval } from '../../precision-interval.js';
import type { Check, LintContext } from '../context.js';
import { named } from '../entries.js';
import type { Found } from '../finding.js';
import type { FiredCounts } from '../fired-counts.js';
import { placesOf } from '../places.js';
import { shareWords } from '../share-words.js';

/** The most that findings name. */
const most = { fired: 10, terms: 10, words: 10 } as const;
/** The fewest messages that show where a term fires, or with what. */
const fewest = 3;
/** The checks of messages; without messages they find nothing. */
export const measuredChecks: readonly Check[] = [
  { id: 'never-fired', severity: 'info', find: findingsBy(neverFired) },
  { id: 'fires-most', severity: 'info', find: findingsBy(firesMost) },
  { id: 'fires-inside-words', severity: 'warning', find: findingsBy(firesInsideWords) },
  { id: 'fires-together', severity: 'info', find: findingsBy(firesTogether) },
];

function findingsBy(find: (measured: FiredCounts, context: LintContext) => Iterable<Found>): Check['find'] {
  return (context) => (context.measured === undefined ? [] : find(context.measured, context));
}

/** Finds rules, and terms and patterns by list or condition, that matched nothing. Rules whose conditions could not all be evaluated are left out. */
function* neverFired({ messages, matched }: FiredCounts, { engine }: LintContext): Generator<Found> {
  if (messages === 0) return;
  const counter = createUnmatched(engine);
  counter.merge(matched);
  const unmatched = counter.unmatched();
  const atMost = `at most ${(Math.ceil(precisionInterval(0, messages).high * 100_000) / 1000).toLocaleString('en')} %`;
  const behind = `in ${messages.toLocaleString('en')} messages (${atMost} of messages like these)`;
  for (const { ruleId, unevaluated } of unmatched.rules.unmatched) {
    if (unevaluated === 0) yield { ruleId, detail: `the rule matched nothing ${behind}` };
  }
  for (const { kind, of, unmatched: idle, ...place } of unmatched.terms) {
    if (idle.length === 0) continue;
    const noun = kind === 'word' ? 'terms' : 'patterns';
    const shown = idle.slice(0, most.terms).map((written) => `\`${written}\``);
    const more = idle.length > shown.length ? ', …' : '';
    const detail = `${idle.length.toLocaleString('en')} of ${of.toLocaleString('en')} ${noun} matched nothing ${behind}: ${shown.join(', ')}${more}`;
    yield { ...(place as Pick<Found, 'ruleId' | 'listId'>), detail };
  }
}

function* firesMost({ messages, fired }: FiredCounts, context: LintContext): Generator<Found> {
  const sorted = [...fired].sort(([, left], [, right]) => right.messages - left.messages).slice(0, most.fired);
  const places = placesOf(fired, context);
  for (const [key, { messages: count, text }] of sorted) {
    yield { ...places.get(key), detail: `matches ${shareWords(count, messages, 'messages')}`, ...witnessOf(text) };
  }
}

function* firesInsideWords({ fired }: FiredCounts, context: LintContext): Generator<Found> {
  for (const [key, place] of placesOf(fired, context)) {
    const { messages, inside, text } = fired.get(key)!;
    if (inside === undefined || messages < fewest) continue;
    const words = [...inside].sort((left, right) => right[1] - left[1]);
    const shown = words.slice(0, most.words).map(([word, count]) => `${word} ${count}`);
    const more = words.length > shown.length ? ', …' : '';
    const where = `in ${messages.toLocaleString('en')} messages: ${shown.join(', ')}${more}`;
    const mend = place.pattern === undefined ? 'read it as a whole word (`words`)' : 'put `\\b` on both sides';
    yield {
      ...place,
      detail: `matches only inside longer words, ${where}`,
      mend: `${mend}, or take it out`,
      ...witnessOf(text),
    };
  }
}

function* firesTogether({ fired }: FiredCounts, context: LintContext): Generator<Found> {
  const places = placesOf(fired, context);
  for (const [key, place] of places) {
    const { messages, others, text } = fired.get(key)!;
    const other = [...others].flatMap((one) => places.get(one) ?? [])[0];
    if (other === undefined || messages < fewest) continue;
    const detail = `never matches alone: each of its ${messages.toLocaleString('en')} messages has ${named(other, place.ruleId)} too`;
    yield { ...place, detail, ...witnessOf(text) };
  }
}

function witnessOf(text: string | undefined): Pick<Found, 'witness'> {
  return text === undefined || text.length > longestExcerpt ? {} : { witness: text };
}
