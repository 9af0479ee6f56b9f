/** Scores count from 0 to 100 percent. Many classifiers count from 0 to 1, and such scores exceed no usual threshold. */

/** The score that is certain: 100, or 1 for scores that count from 0 to 1. */
export type ScoreScale = 1 | 100;

type Labels = Readonly<Record<string, number>>;

/** Returns scores of a scale as percent, without the last digit that the multiplication adds: 0.07 is 7, not 7.000000000000001. */
export function asPercent(labels: Labels, scale: ScoreScale): Labels {
  if (scale === 100) return labels;
  const entries = Object.entries(labels).map(
    ([label, score]) => [label, Number((score * 100).toPrecision(15))] as const,
  );
  return Object.fromEntries(entries);
}

/** Number of scored texts and files from which on scores that are all 1 or less are probably not percent. */
const enough = 20;

/** A text whose scores are all below this does not show their scale: nearly all texts are harmless. */
const leastOfText = 0.5;

/**
 * Detects scores that seem to be from 0 to 1. Counts texts and files, those of one address once, until a score is above 1; a file whose scores are
 * all 0 is not counted. Keeps at most `enough` addresses.
 */
export class ScaleWatch {
  readonly #addresses = new Set<string>();
  #counted = 0;
  #isPercent = false;

  add(labels: Readonly<Record<string, unknown>>, url?: string, isText = false): void {
    if (this.#isPercent) return;
    let highest = 0;
    for (const score of Object.values(labels)) if (typeof score === 'number' && score > highest) highest = score;
    if (highest > 1) {
      this.#isPercent = true;
      this.#addresses.clear();
    } else if (highest > (isText ? leastOfText : 0)) this.#count(url);
  }

  /** How many texts and files were counted, when they are enough and none has a score above 1; else undefined. */
  get countUpToOne(): number | undefined {
    return !this.#isPercent && this.#counted >= enough ? this.#counted : undefined;
  }

  #count(url: string | undefined): void {
    if (this.#counted < enough && url !== undefined) {
      if (this.#addresses.has(url)) return;
      this.#addresses.add(url);
    }
    this.#counted++;
  }
}
