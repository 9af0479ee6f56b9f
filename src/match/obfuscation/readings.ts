/** Ways to read terms from one letter of a text on, of each term the best. */
import { isSimpler } from './transforms.js';

/** A way to read a term. */
export interface Reading {
  readonly term: number;
  readonly end: number;
  readonly transforms: number;
  /** Its end is an edge when hidden characters and marks are left out. */
  readonly isEdge: boolean;
}

/** So many readings are searched one by one. */
const FEW = 12;

/** Readings, of each term the best: one that ends at an edge, the longest, the simplest. */
export class Readings {
  readonly all: Reading[] = [];
  /** By term: its place in `all`, when these are more than a few. */
  #places: Map<number, number> | undefined;

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
    if (all.length === FEW) {
      this.#places = new Map(all.map((reading, place) => [reading.term, place]));
      return this.#placeOf(term);
    }
    for (let place = 0; place < all.length; place++) if (all[place]!.term === term) return place;
    return all.length;
  }
}
