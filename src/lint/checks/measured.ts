/** What many messages say of terms and patterns: with `messages`, which never fired, fire most, inside longer words or together with another. */

import { longestExcerpt, textAt } from '../../audit/count/excerpt.js';
import { createUnmatched, type UnmatchedCounts } from '../../audit/count/unmatched.js';
import { isWordEdge } from '../../match/word-edges.js';
import { nextTask } from '../../portions.js';
import { precisionInterval } from '../../precision-interval.js';
import type { Check, LintContext } from '../context.js';
import { named } from '../entries.js';
import type { Found } from '../finding.js';
import { placesIn, placesOf } from '../places.js';
import { shareWords } from '../share-words.js';

/** How much findings name. */
const most = { fired: 10, terms: 10, words: 10 } as const;
/** Fewer messages say nothing of where a term fires, or with what. */
const fewest = 3;
/** Longer words that are counted of one term. */
const mostCounted = 1000;

/** Of a longer word, what is read on either side of a match. */
const longestPart = 40;

/** What one term or pattern did. */
interface Fired {
  messages: number;
  /** The first message's text that it fired in. */
  readonly text: string | undefined;
  /** Words that it fired inside of, with how many times; undefined once it fired outside of one. */
  inside: Map<string, number> | undefined;
  /** Keys of what fired in each of its messages too. */
  others: ReadonlySet<string>;
}

interface Measured {
  readonly messages: number;
  /** By key, in the order of first messages. */
  readonly fired: ReadonlyMap<string, Fired>;
  readonly unmatched: UnmatchedCounts;
}

const measured = new WeakMap<LintContext, Promise<Measured>>();

/** The checks of messages; without messages they find nothing. */
export const measuredChecks: readonly Check[] = [
  { id: 'never-fired', severity: 'info', find: findingsBy(neverFired) },
  { id: 'fires-most', severity: 'info', find: findingsBy(firesMost) },
  { id: 'fires-inside-words', severity: 'warning', find: findingsBy(firesInsideWords) },
  { id: 'fires-together', severity: 'info', find: findingsBy(firesTogether) },
];

function findingsBy(find: (measured: Measured, context: LintContext) => Iterable<Found>): Check['find'] {
  return async function* (context) {
    if (context.options.messages === undefined) return;
    if (!measured.has(context)) measured.set(context, measure(context, context.options.messages));
    yield* find(await measured.get(context)!, context);
  };
}

async function measure(context: LintContext, source: NonNullable<LintContext['options']['messages']>) {
  const unmatched = createUnmatched(context.engine);
  const fired = new Map<string, Fired>();
  let messages = 0;
  for await (const message of source) {
    if (messages % 1000 === 0) await nextTask();
    messages += 1;
    const decision = context.engine.explain(message);
    unmatched.add({ decision });
    const hits = [...placesIn(decision.matched)];
    const keys = new Set(hits.map(({ key }) => key));
    for (const key of keys) {
      const own = fired.get(key);
      if (own === undefined) {
        const others = new Set([...keys].filter((other) => other !== key));
        const text = typeof message === 'string' ? message : textAt(message, 'data.text');
        fired.set(key, { messages: 1, text, inside: new Map(), others });
      } else {
        own.messages += 1;
        if (own.others.size > 0) own.others = new Set([...own.others].filter((other) => keys.has(other)));
      }
    }
    for (const { key, match } of hits) {
      const own = fired.get(key)!;
      const text = typeof message === 'string' ? message : textAt(message, match.path);
      const word = text === undefined ? undefined : longerWord(text, match.span);
      if (word === undefined) own.inside = undefined;
      else if (own.inside !== undefined && (own.inside.has(word) || own.inside.size < mostCounted))
        own.inside.set(word, (own.inside.get(word) ?? 0) + 1);
    }
  }
  return { messages, fired, unmatched: unmatched.unmatched() };
}

/** The word that a match is a part of; undefined for one that ends at word edges on both sides. */
function longerWord(text: string, { start, end }: { readonly start: number; readonly end: number }) {
  if (isWordEdge(text, start) && isWordEdge(text, end)) return undefined;
  let [from, to] = [start, end];
  while (!isWordEdge(text, from) && start - from < longestPart) from -= 1;
  while (!isWordEdge(text, to) && to - end < longestPart) to += 1;
  return text.slice(from, to).toLowerCase();
}

/** Those of a list, or of a condition, are one finding; rules whose conditions could not all be evaluated are left out. */
function* neverFired({ messages, unmatched }: Measured): Generator<Found> {
  if (messages === 0) return;
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

function* firesMost({ messages, fired }: Measured, context: LintContext): Generator<Found> {
  const sorted = [...fired].sort(([, left], [, right]) => right.messages - left.messages).slice(0, most.fired);
  const places = placesOf(fired, context);
  for (const [key, { messages: count, text }] of sorted) {
    yield { ...places.get(key), detail: `matches ${shareWords(count, messages, 'messages')}`, ...witnessOf(text) };
  }
}

function* firesInsideWords({ fired }: Measured, context: LintContext): Generator<Found> {
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

function* firesTogether({ fired }: Measured, context: LintContext): Generator<Found> {
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
