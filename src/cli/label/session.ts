import type { Label, LabelOutcome, Labels } from '../../audit/sample/label.js';
import type { SampledStratum, SampleRow } from '../../audit/sample/sample.js';
import { name, quoted, type Words, words } from '../document/document.js';

/** A message to label. */
export interface SessionItem {
  readonly row: SampleRow;
  /** The name of its stratum, for people. */
  readonly name: Words;
  /** Its place in the sample of its stratum, from 1, and how many these are. */
  readonly place: number;
  readonly of: number;
}

/** Returns the name of a stratum: the rule and what matched, `all that was stopped`, `not stopped`. */
export function stratumName({ kind, ruleId = '', ruleName, term, pattern, label }: SampledStratum['stratum']): Words {
  if (kind !== 'rule') return kind === 'stopped' ? 'all that was stopped' : 'not stopped';
  const what = term ?? pattern ?? label;
  return words`${name(ruleName ?? ruleId)}${what === undefined ? undefined : words`, ${quoted(what)}`}`;
}

/** The order of a session: it begins at the first message without a label, and continues with the next one without. */
export class LabelSession {
  readonly items: readonly SessionItem[];
  readonly labels: Labels;
  readonly #by: string | undefined;
  #at: number;

  constructor(strata: readonly SampledStratum[], labels: Labels, by?: string) {
    this.items = strata.flatMap(({ stratum, rows }) =>
      rows.map((row, index) => ({ row, name: stratumName(stratum), place: index + 1, of: rows.length })),
    );
    this.labels = labels;
    this.#by = by;
    this.#at = this.#nextOpen(0);
  }

  /** Undefined once all are labelled. */
  get current(): SessionItem | undefined {
    return this.items[this.#at];
  }

  /** Messages that have their label. */
  get done(): number {
    return this.items.filter(({ row }) => this.labels.ofRow(row) !== undefined).length;
  }

  back(): void {
    this.#at = Math.max(0, this.#at - 1);
  }

  /** Returns the label of the current message that an outcome makes. */
  label(outcome: LabelOutcome): Label | undefined {
    if (this.current === undefined) return undefined;
    const { messageId, stratum } = this.current.row;
    return { messageId, ruleId: stratum.ruleId, outcome, by: this.#by };
  }

  /** Moves to the next message, once the current one has a label. */
  next(): void {
    this.#at = this.#nextOpen(this.#at + 1);
  }

  #nextOpen(from: number): number {
    const isOpen = ({ row }: SessionItem) => this.labels.ofRow(row) === undefined;
    const behind = this.items.slice(from).findIndex(isOpen);
    if (behind !== -1) return from + behind;
    const first = this.items.findIndex(isOpen);
    return first === -1 ? this.items.length : first;
  }
}
