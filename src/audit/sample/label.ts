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

export const outcomes = Object.keys(table) as [LabelOutcome, ...LabelOutcome[]];

/** The outcomes in words: `right, wrong or unsure`. */
export const outcomeWords = outcomes.join(', ').replace(/, (?=[^,]*$)/, ' or ');

/** Returns what an outcome says of what happened to a message. */
export const saysOf = (outcome: LabelOutcome): Outcome | undefined => table[outcome].says;

export const outcomeKeys: ReadonlyMap<string, LabelOutcome> = new Map(
  outcomes.map((outcome) => [table[outcome].key, outcome]),
);

/** One label. Without a rule it is about the message, whatever stopped it. */
export interface Label {
  readonly messageId: string;
  readonly ruleId?: string | undefined;
  readonly outcome: LabelOutcome;
  /** The person who labelled it. */
  readonly by?: string | undefined;
  /** How the message was chosen, if not for a random sample: `reviewed` by reviewers of the platform. Estimates keep such labels apart. */
  readonly source?: string | undefined;
  /** The revision of the rule that stopped the message, where it is known. */
  readonly ruleRevision?: string | undefined;
}

/** Yields labels, and throws `ShapeError` that names the first one whose `outcome` is not one of the outcomes. */
export function* checkedLabels(labels: Iterable<Label>): Generator<Label> {
  let index = 0;
  for (const label of labels) {
    if (!outcomes.includes(label.outcome))
      throw new ShapeError(`labels[${index}]`, 'outcome', `must be one of ${outcomes.join(', ')}`);
    yield label;
    index += 1;
  }
}

/** Labels of which the last one for a message, a rule and a source counts. */
export class Labels {
  readonly #last = new Map<string, Label>();

  /** Throws as `checkedLabels` does. */
  constructor(labels: Iterable<Label> = []) {
    for (const label of checkedLabels(labels)) this.add(label);
  }

  add(label: Label): void {
    this.#last.set(keyOf(label), label);
  }

  /** Returns the label of a message itself, or of what a rule did to it, that has no source. */
  of(messageId: string, ruleId: string | undefined): Label | undefined {
    return this.#last.get(keyOf({ messageId, ruleId }));
  }

  /** Returns the label of a row of a sample. One with a source is not its label: chance did not choose that message. */
  ofRow({ messageId, stratum }: SampleRow): Label | undefined {
    return this.of(messageId, stratum.ruleId);
  }

  all(): readonly Label[] {
    return [...this.#last.values()];
  }

  /**
   * Returns what is known about whole messages, by id: by their own label, or else by those of rules. To stop one was right if one of them was right, and
   * wrong if all were wrong. Those without a sure label are left out. Where labels of two sources are about the same, the one without a source counts.
   */
  byMessage(): Map<string, Outcome> {
    const found = new Map<string, Label[]>();
    for (const label of this.all()) {
      const { messageId, ruleId, source } = label;
      if (source !== undefined && this.of(messageId, ruleId) !== undefined) continue;
      found.set(messageId, [...(found.get(messageId) ?? []), label]);
    }
    const known = new Map<string, Outcome>();
    for (const [messageId, all] of found) {
      const own = all.filter(({ ruleId }) => ruleId === undefined);
      const said = (own.length === 0 ? all : own).map(({ outcome }) => saysOf(outcome));
      if (said.includes('right')) known.set(messageId, 'right');
      else if (!said.includes(undefined)) known.set(messageId, 'wrong');
    }
    return known;
  }
}

const keyOf = ({ messageId, ruleId, source }: Pick<Label, 'messageId' | 'ruleId' | 'source'>) =>
  JSON.stringify([messageId, ruleId, source]);
