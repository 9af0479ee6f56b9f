/**
 * Round-robin scheduling over queues of work, a few pieces at a time. Each queue begins one piece
 * in its turn and goes to the end of the round, so that a queue of twenty pieces delays another's
 * first piece by at most one piece that is under way.
 *
 * INVARIANT: a queue is in the round as long as it has pieces that were not offered and was not
 * withdrawn.
 */

/**
 * A piece of work: returns a promise that settles at its end, or `undefined` if nothing is left to
 * do, which takes no turn.
 */
type Piece = () => Promise<void> | undefined;

interface Queue {
  readonly pieces: readonly Piece[];
  next: number;
}

export class Turns {
  readonly #concurrency: number;
  /** In the order of their turns. A set, since a queue may be withdrawn from anywhere in it. */
  readonly #round = new Set<Queue>();
  #underWay = 0;

  /** At most `concurrency` pieces are under way at a time. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /**
   * Queues pieces, which must not reject. Returns the function that withdraws those that have not
   * begun.
   */
  queue(pieces: readonly Piece[]): () => void {
    const queue: Queue = { pieces, next: 0 };
    if (pieces.length > 0) this.#round.add(queue);
    this.#begin();
    return () => this.#round.delete(queue);
  }

  readonly #end = (): void => {
    this.#underWay--;
    this.#begin();
  };

  #begin(): void {
    for (const queue of this.#round) {
      if (this.#underWay >= this.#concurrency) return;
      this.#round.delete(queue);
      // Counted before it begins: what begins may queue more.
      this.#underWay++;
      const work = nextOf(queue);
      // At the end of the set, which this loop reaches again.
      if (queue.next < queue.pieces.length) this.#round.add(queue);
      if (work === undefined) this.#underWay--;
      else void work.finally(this.#end);
    }
  }
}

/** Begins the next piece of a queue that has work; returns undefined if there is none. */
function nextOf(queue: Queue): Promise<void> | undefined {
  while (queue.next < queue.pieces.length) {
    const work = queue.pieces[queue.next++]!();
    if (work !== undefined) return work;
  }
  return undefined;
}
