/** What many messages say of terms and patterns: with `messages`, which never fired, fire most, inside longer words or together with another. */

import { textAt } from '../../audit/count/excerpt.js';
import { createUnmatched, type UnmatchedCounts } from '../../audit/count/unmatched.js';
import { isWordEdge } from '../../match/word-edges.js';
import { nextTask } from '../../portions.js';
import { precisionInterval } from '../../precision-interval.js';
import type { Check, LintContext } from '../context.js';
import type { Found } from '../finding.js';
import { createPlaces, placeKeyOf, type Written, writtenOf } from '../places.js';
import { shareWords } from '../share-words.js';

/** How much findings name. */
const most = { fired: 10, terms: 10, words: 10 } as const;
/** Fewer messages say nothing of where a term fires, or with what. */
const fewest = 3;
/** Longer words that are counted of one term. */
const mostCounted = 1000;

/** What one term or pattern did. */
interface Fired {
  readonly written: Written;
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
    const found = new Map([...writtenOf(decision.matched)].map((hit) => [placeKeyOf(hit.written), hit.written]));
    const keys = new Set(found.keys());
    for (const [key, written] of found) {
      const own = fired.get(key);
      if (own === undefined) {
        const others = new Set([...keys].filter((other) => other !== key));
        const text = typeof message === 'string' ? message : textAt(message, 'data.text');
        fired.set(key, { written, messages: 1, text, inside: new Map(), others });
      } else {
        own.messages += 1;
        if (own.others.size > 0) own.others = new Set([...own.others].filter((other) => keys.has(other)));
      }
    }
    for (const { written, match } of writtenOf(decision.matched)) {
      const own = fired.get(placeKeyOf(written))!;
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
  while (!isWordEdge(text, from)) from -= 1;
  while (!isWordEdge(text, to)) to += 1;
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
    const named = idle.slice(0, most.terms).map((written) => `\`${written}\``);
    const more = idle.length > named.length ? ', …' : '';
    const detail = `${idle.length.toLocaleString('en')} of ${of.toLocaleString('en')} ${noun} matched nothing ${behind}: ${named.join(', ')}${more}`;
    yield { ...(place as Pick<Found, 'ruleId' | 'listId'>), detail };
  }
}

function* firesMost({ messages, fired }: Measured, { ruleSet }: LintContext): Generator<Found> {
  const placeOf = createPlaces(ruleSet);
  const sorted = [...fired.values()].sort((left, right) => right.messages - left.messages);
  for (const { written, messages: count, text } of sorted.slice(0, most.fired)) {
    const detail = `matches ${shareWords(count, messages, 'messages')}`;
    yield { ...placeOf(written), detail, ...(text !== undefined && { witness: text }) };
  }
}

function* firesInsideWords({ fired }: Measured, { ruleSet }: LintContext): Generator<Found> {
  const placeOf = createPlaces(ruleSet);
  for (const { written, messages, inside, text } of fired.values()) {
    if (inside === undefined || messages < fewest) continue;
    const words = [...inside].sort((left, right) => right[1] - left[1]);
    const named = words.slice(0, most.words).map(([word, count]) => `${word} ${count}`);
    const more = words.length > named.length ? ', …' : '';
    yield {
      ...placeOf(written),
      detail: `matches only inside longer words, in ${messages.toLocaleString('en')} messages: ${named.join(', ')}${more}`,
      mend: written.kind === 'word' ? 'read it as a whole word (`words`), or take it out' : 'put `\\b` on both sides',
      ...(text !== undefined && { witness: text }),
    };
  }
}

function* firesTogether({ fired }: Measured, { ruleSet }: LintContext): Generator<Found> {
  const placeOf = createPlaces(ruleSet);
  for (const { written, messages, others, text } of fired.values()) {
    const [key] = others;
    if (key === undefined || messages < fewest) continue;
    const other = fired.get(key)!.written;
    const where = other.listId === undefined ? `rule \`${other.ruleId}\`` : `list \`${other.listId}\``;
    yield {
      ...placeOf(written),
      detail: `never matches alone: each of its ${messages.toLocaleString('en')} messages has \`${other.written}\` of ${where} too`,
      ...(text !== undefined && { witness: text }),
    };
  }
}
