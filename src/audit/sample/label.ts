/** Labels: what people found of single messages. Commands read them by `--labels`, the library takes them as `labels`. */
import { ShapeError } from '../../foundation/errors.js';
import type { Outcome } from '../count/diff-causes.js';
import type { SampleRow } from './sample.js';

/**
 * The outcomes of a label with the key of `sluice label`, and what it says of what happened to a message (that it was stopped, that a rule stopped
 * it, or that nothing did): `right`, `wrong`, or neither. All that labels are used for follows from this table.
 */
const table = {
  right: { key: 'r', says: 'right' },
  wrong: { key: 'w', says: 'wrong' },
  unsure: { key: 'u', says: undefined },
} as const satisfies Readonly<Record<string, { readonly key: string; readonly says: Outcome | undefined }>>;

export type LabelOutcome = keyof typeof table;

/** All outcomes. */
export const outcomes = Object.keys(table) as [LabelOutcome, ...LabelOutcome[]];

/** The outcomes in words: `right, wrong or unsure`. */
export const outcomeWords = outcomes.join(', ').replace(/, (?=[^,]*$)/, ' or ');

/** Returns what an outcome says of what happened to a message. */
export const saysOf = (outcome: LabelOutcome): Outcome | undefined => table[outcome].says;

/** The outcomes by their keys. */
export const outcomeKeys: ReadonlyMap<string, LabelOutcome> = new Map(
  outcomes.map((outcome) => [table[outcome].key, outcome]),
);

/** One label. Without a rule it is about the message, whatever stopped it. */
export interface Label {
  readonly messageId: string;
  readonly ruleId?: string | undefined;
  readonly outcome: LabelOutcome;
  /** The person who gave it. */
  readonly by?: string | undefined;
}

/** The label that counts of each message and rule: the last. */
export class Labels {
  readonly #last = new Map<string, Label>();

  /** Throws `ShapeError` that names the first label whose `outcome` is none. */
  constructor(labels: Iterable<Label> = []) {
    let index = 0;
    for (const label of labels) {
      if (!outcomes.includes(label.outcome))
        throw new ShapeError(`labels[${index}]`, 'outcome', `must be one of ${outcomes.join(', ')}`);
      this.add(label);
      index += 1;
    }
  }

  add(label: Label): void {
    this.#last.set(keyOf(label), label);
  }

  /** The label of a message itself, or of what a rule did to it. */
  of(messageId: string, ruleId: string | undefined): Label | undefined {
    return this.#last.get(keyOf({ messageId, ruleId }));
  }

  /** The label of what a row of a sample asks. */
  ofRow({ messageId, stratum }: SampleRow): Label | undefined {
    return this.of(messageId, stratum.ruleId);
  }

  all(): readonly Label[] {
    return [...this.#last.values()];
  }

  /**
   * Returns what is known about whole messages, by id: by their own label, or else by those of rules. To stop one was right if one of them was right, and
   * wrong if all were wrong. Those without a sure label are left out.
   */
  byMessage(): Map<string, Outcome> {
    const found = new Map<string, LabelOutcome[]>();
    for (const { messageId, outcome } of this.all()) {
      found.set(messageId, [...(found.get(messageId) ?? []), outcome]);
    }
    const known = new Map<string, Outcome>();
    for (const [messageId, all] of found) {
      const own = this.of(messageId, undefined)?.outcome;
      const said = (own === undefined ? all : [own]).map(saysOf);
      if (said.includes('right')) known.set(messageId, 'right');
      else if (!said.includes(undefined)) known.set(messageId, 'wrong');
    }
    return known;
  }
}

const keyOf = ({ messageId, ruleId }: Pick<Label, 'messageId' | 'ruleId'>) => JSON.stringify([messageId, ruleId]);
