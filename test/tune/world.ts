/** Worlds with known truth: rules with a fault or without one, and messages of which the generator knows whether they should be stopped. */
import type { Label } from '../../src/audit/sample/label.js';
import { createEngine, type RuleSetInput } from '../../src/engine/engine.js';
import type { Scores } from '../../src/engine/evaluate/scores.js';
import type { Semantics } from '../../src/engine/semantics.js';

/** Numbers from 0 to below 1 by a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type WorldMessage = {
  readonly id: string;
  readonly data: { readonly text: string };
  /** Whether it should be stopped. */
  readonly isBad: boolean;
  readonly scores: readonly Scores[];
};

export interface World {
  readonly rules: RuleSetInput;
  readonly messages: readonly WorldMessage[];
}

const chatter =
  'we met at noon and ate soup then walked home under rain with old friends who sang loudly about trains'.split(' ');

/** The texts of a world: those that should be stopped, those that rules may take for them, and what people say beside. */
export interface Texts {
  readonly bad: readonly string[];
  readonly harmless: readonly string[];
}

/** A world of 3,000 messages: a tenth should be stopped, a tenth is harmless and looks like it; `toxicity` has scores by truth. */
export function worldOf(rules: RuleSetInput, { bad, harmless }: Texts, seed: number, limit = 70): World {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const some = (count: number) => Array.from({ length: count }, () => pick(chatter)).join(' ');
  const messages = Array.from({ length: 3000 }, (_, at): WorldMessage => {
    const kind = random();
    const isBad = kind < 0.1 && bad.length > 0;
    const core = isBad ? pick(bad) : kind < 0.2 && harmless.length > 0 ? pick(harmless) : some(2);
    const score = Math.round(1000 * random()) / 10;
    const isToxic = score > limit;
    return {
      id: String(at + 1),
      data: { text: `${some(1 + Math.floor(random() * 4))} ${core} ${some(1 + Math.floor(random() * 3))}` },
      isBad: isBad || (bad.length === 0 && isToxic),
      scores: bad.length === 0 ? [{ operand: 'text', labels: { toxicity: score } }] : [],
    };
  });
  return { rules, messages };
}

/** Labels of a random sample of the stopped and the allowed messages, by the truth or as `outcomeOf` says. */
export function labelsOf(
  { rules, messages }: World,
  {
    stopped,
    allowed,
    seed,
    semantics,
  }: { stopped: number; allowed: number; seed: number; semantics?: Partial<Semantics> },
  outcomeOf?: (random: () => number) => Label['outcome'],
): Label[] {
  const random = randomOf(seed);
  const engine = createEngine(rules, semantics);
  const judged = messages.map((message) => ({
    message,
    isHit: engine.decide(message, message.scores) !== 'allow',
    at: random(),
  }));
  const drawn = judged.toSorted((one, other) => one.at - other.at);
  return [true, false].flatMap((isHit) =>
    drawn
      .filter((one) => one.isHit === isHit)
      .slice(0, isHit ? stopped : allowed)
      .map(({ message: { id, isBad } }) => ({
        messageId: id,
        outcome: outcomeOf?.(random) ?? (isBad === isHit ? 'right' : 'wrong'),
      })),
  );
}

const word = (id: string, listId: string) => ({
  ...{ id, action: ['blockMessage'] },
  conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: [listId] }],
});

const swearing: Texts = {
  bad: ['you cock', 'such an ass', 'what a prick'],
  harmless: ['a peacock', 'first class', 'pass the salt', 'prickly pear', 'grass'],
};

/** Rule sets with one fault each, and what mends it. */
export const faults = {
  'a substring that should be a word': {
    rules: {
      rules: [word('swearing', 'swear')],
      lists: [{ id: 'swear', searchTerms: ['cock', 'ass', 'prick', 'heck'] }],
      semantics: { words: { lists: { swear: 'substring' } } },
    },
    texts: swearing,
    kind: 'reading',
    detail: 'reading `words`: `word` for list `swear`',
  },
  'a pattern without edges': {
    rules: {
      rules: [
        {
          id: 'adult',
          action: ['blockMessage'],
          conditions: [{ operand: 'text', category: 'pattern', value: ['(?i)sex', 'porn'] }],
        },
      ],
      lists: [],
    },
    texts: {
      bad: ['want sex', 'SEX now', 'cheap porn'],
      harmless: ['Essex county', 'a sextant', 'sexton', 'Middlesex'],
    },
    kind: 'edges',
    detail: 'word edges: `\\b(?:(?i)sex)\\b` in the place of pattern `(?i)sex` of rule `adult`',
  },
  'a threshold five points low': {
    rules: {
      rules: [
        {
          id: 'toxic',
          action: ['blockMessage'],
          conditions: [{ id: 1, operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_65'] }],
        },
      ],
      lists: [],
    },
    texts: { bad: [], harmless: [] },
    kind: 'threshold',
    detail: 'threshold `toxicity` of rule `toxic`, condition 1: 70 in the place of 65',
  },
  'a harmless sense of a term': {
    rules: {
      rules: [word('threats', 'violence')],
      lists: [{ id: 'violence', searchTerms: ['kill', 'stab', 'shoot'] }],
    },
    texts: {
      bad: ['i will kill you', 'kill yourself', 'stab him', 'shoot them'],
      harmless: ['kill the process', 'kill the server'],
    },
    kind: 'exception',
    detail: 'except `kill the` from term `kill` of list `violence`',
  },
} as const;

/** A rule set without a fault. */
export const sound = {
  rules: {
    rules: [word('threats', 'violence'), word('swearing', 'swear')],
    lists: [
      { id: 'violence', searchTerms: ['kill', 'stab', 'shoot'] },
      { id: 'swear', searchTerms: ['cock', 'ass', 'prick', 'heck'] },
    ],
  },
  texts: {
    bad: ['i will kill you', 'kill yourself', 'stab him', 'you cock', 'such an ass', 'what a prick'],
    harmless: ['a peacock', 'overkill', 'grass'],
  },
} as const;
