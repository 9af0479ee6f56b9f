/** Best end of each term that was read from one letter of a text on. */
import { isSimpler } from './transforms.js';

/** A way to read a term, as far as it matters for what is reported. */
export interface TermEnd {
  readonly term: number;
  /** The offset behind its last letter and the marks of that. */
  readonly end: number;
  /** Bits of `transforms.ts` that make text and term equal. */
  readonly transforms: number;
  /** A word may end there, hidden characters and marks left out; or the term needs no edge. */
  readonly isEdge: boolean;
}

/** More ends than this are found by a map instead of one by one. */
const MOST_WITHOUT_MAP = 12;

/** Term ends, of each term one: that at an edge before others, then the one further on, then the one of simpler transforms. */
export class BestEnds {
  readonly all: TermEnd[] = [];
  /** Place of each term in `all`, when these are more than a few. */
  #places: Map<number, number> | undefined;

  /** Keeps an end unless a better one of the same term is there. The order of calls does not matter for which is kept. */
  add(term: number, end: number, transforms: number, isEdge: boolean): void {
    const place = this.#placeOf(term);
    const known = this.all[place];
    if (known !== undefined) {
      const isBetter =
        known.isEdge === isEdge
          ? end > known.end || (end === known.end && isSimpler(transforms, known.transforms))
          : isEdge;
      if (!isBetter) return;
    }
    this.all[place] = { term, end, transforms, isEdge };
    this.#places?.set(term, place);
  }

  #placeOf(term: number): number {
    const { all } = this;
    if (this.#places !== undefined) return this.#places.get(term) ?? all.length;
    if (all.length === MOST_WITHOUT_MAP) {
      this.#places = new Map(all.map((known, place) => [known.term, place]));
      return this.#placeOf(term);
    }
    for (let place = 0; place < all.length; place++) if (all[place]!.term === term) return place;
    return all.length;
  }
}
