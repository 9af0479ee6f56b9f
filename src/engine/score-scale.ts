/**
 * Scores count from 0 to 100 percent. Many classifiers count from 0 to 1, and such scores exceed no
 * usual threshold.
 */

/** The score that is certain: 100, or 1 for scores that count from 0 to 1. */
export type ScoreScale = 1 | 100;

type Labels = Readonly<Record<string, number>>;

/**
 * Returns scores of a scale as percent, without the last digit that the multiplication adds: 0.07
 * is 7, not 7.000000000000001.
 */
export function asPercent(labels: Labels, scale: ScoreScale): Labels {
  if (scale === 100) return labels;
  const entries = Object.entries(labels).map(
    ([label, score]) => [label, Number((score * 100).toPrecision(15))] as const,
  );
  return Object.fromEntries(entries);
}

/**
 * Number of scored texts and files from which on scores that are all 1 or less are probably not
 * percent.
 */
const enough = 20;

/**
 * A text whose scores are all below this does not show their scale: nearly all texts are harmless.
 */
const leastOfText = 0.5;

/**
 * The last scores of a label by which a scorer that changes its scale is noticed, and how many of
 * them are above `leastOfText`.
 */
const last = { scores: 40, telling: 12 };

/** Labels that are watched, since a caller names them. */
const mostLabels = 1000;

/**
 * The scores of a label since one was above 1: whether each of the last is above `leastOfText`, and
 * how many of all are.
 */
interface Run {
  readonly recent: boolean[];
  telling: number;
}

/**
 * Detects scores that seem to be from 0 to 1: of all texts and files, those of one address once,
 * until a score is above 1, and of a label by its last scores. A file whose scores are all 0 is not
 * counted.
 */
export class ScaleWatch {
  /** Addresses of the last files. */
  readonly #addresses = new Set<string>();
  readonly #runs = new Map<string, Run>();
  readonly #labels = new Set<string>();
  #counted = 0;
  #isPercent = false;

  add(labels: Readonly<Record<string, unknown>>, url?: string, isText = false): void {
    const scores = Object.entries(labels).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    const highest = scores.reduce((most, [, score]) => (score > most ? score : most), 0);
    if (highest <= 1 && url !== undefined && this.#isKnown(url)) return;
    for (const [label, score] of scores) this.#addScore(label, score);
    if (highest > 1) this.#isPercent = true;
    else if (highest > (isText ? leastOfText : 0)) this.#counted++;
  }

  /**
   * How many texts and files were counted, when they are enough and none has a score above 1; else
   * undefined.
   */
  get countUpToOne(): number | undefined {
    return !this.#isPercent && this.#counted >= enough ? this.#counted : undefined;
  }

  /**
   * A label whose last forty scores are 1 or less, though many are too high for the scores of
   * harmless texts.
   */
  get labelUpToOne(): string | undefined {
    return this.#labels.values().next().value;
  }

  #isKnown(url: string): boolean {
    const isKnown = this.#addresses.has(url);
    this.#addresses.add(url);
    if (this.#addresses.size > last.scores) this.#addresses.delete(this.#addresses.values().next().value!);
    return isKnown;
  }

  #addScore(label: string, score: number): void {
    const run: Run = (score > 1 ? undefined : this.#runs.get(label)) ?? { recent: [], telling: 0 };
    if (this.#runs.size >= mostLabels && !this.#runs.has(label)) return;
    this.#runs.set(label, run);
    if (score > 1) {
      this.#labels.delete(label);
      return;
    }
    const isTelling = score > leastOfText;
    if (isTelling) run.telling++;
    if (run.recent.push(isTelling) > last.scores) run.recent.shift();
    const isFull = run.recent.length === last.scores;
    if (isFull && (run.telling >= last.scores || run.recent.filter(Boolean).length >= last.telling))
      this.#labels.add(label);
  }
}
