/**
 * Finds links to listed domains: the matcher of the reading `links`. A term is a domain with or without a path, and matches a link whose host
 * is the domain or below it, and whose path begins with the term's at a segment; `*` matches any link. The span is the link.
 *
 * Links are read one after the other (`link-reader.ts`), and hosts are looked up by their domains from the shortest to the longest, so a link
 * costs the same whatever the number of terms is. Under `hardened` a text is read without the signs that keep a link from being
 * followed: `hxxp`, `[.]`, `(.)`, `[dot]`, ` dot `.
 *
 * Example, with the terms `example.com` and `example.org/a`: in `see www.EXAMPLE.com, or example.org/b` the host `www.example.com` has
 * the domains `com` and `example.com`, of which the second is listed. That of the second link is too, but its path is `/b`.
 */
import { inRanges, type Portions } from '../../../foundation/portions.js';
import { ClosedOutputs } from '../closed-terms.js';
import { Advice, type ClosedTerms, endsTerms, type KeywordMatcher, type OnTerm } from '../keyword-scan.js';
import { type PatternDfa, runPatternDfa, STALLED } from '../patterns/lazy-dfa.js';
import { type RewrittenText, rewrite } from '../rewritten-text.js';
import { ANY_LINK, canonicalHost, canonicalPath } from './host.js';
import { Label, LinkReader } from './link-reader.js';
import { topLevelDomains } from './top-level-domains.js';

/** A domain, or a path of one: the term that it is, or -1, and the paths that are one segment longer. */
interface Place {
  term: number;
  below?: Map<string, Place>;
}

/** Compiles terms in the form of `readLinkTerm`, each given once, in portions. `isHardened`: links that cannot be followed are found too. */
export function* createLinkMatcher(terms: readonly string[], isHardened: boolean): Portions<KeywordMatcher> {
  const matcher = new LinkMatcher(terms.length, isHardened);
  yield* inRanges(terms.length, (begin, end) => {
    for (let term = begin; term < end; term++) matcher.add(terms[term]!, term);
  });
  return matcher;
}

/** Steps of a link beside its units: a parser of the platform may read its host. */
const STEPS_OF_A_LINK = 64;
/** The most last labels in other scripts that are remembered. */
const REMEMBERED = 1 << 12;
const LONGEST_REMEMBERED = 64;

class LinkMatcher implements KeywordMatcher {
  readonly #count: number;
  readonly #isHardened: boolean;
  /** The reader of links, and if a listed last label is not a top-level domain, one that takes these labels for last ones too. */
  readonly #readers: LinkReader[];
  readonly #topLevel = topLevelDomains();
  readonly #domains = new Map<string, Place>();
  /** The last labels of listed domains. */
  readonly #labels = new Set<string>();
  /** How last labels of other characters than ASCII are known. */
  readonly #remembered = new Map<string, number>();
  /** The term `*`, or -1. */
  #any = -1;
  /** Steps beside those of the reader. */
  #steps = 0;
  /** Labels of the deepest domain. */
  #deepest = 0;
  #hasAddress = false;

  constructor(count: number, isHardened: boolean) {
    this.#count = count;
    this.#isHardened = isHardened;
    this.#readers = [new LinkReader((label) => this.#kindOf(label), Label.TOP_LEVEL)];
  }

  get steps(): number {
    return this.#readers.reduce((sum, { reads }) => sum + reads, this.#steps);
  }

  add(written: string, term: number): void {
    if (written === ANY_LINK) {
      this.#any = term;
      return;
    }
    const slash = written.indexOf('/');
    const name = slash < 0 ? written : written.slice(0, slash);
    let place = placeIn(this.#domains, name);
    const segments = slash < 0 ? [] : written.slice(slash + 1).split('/');
    for (const segment of segments) {
      place.below ??= new Map();
      place = placeIn(place.below, segment);
    }
    place.term = term;
    const labels = name.split('.');
    const last = labels.at(-1)!;
    if (!this.#topLevel.has(last)) {
      this.#labels.add(last);
      this.#readers[1] ??= new LinkReader((label) => this.#kindOf(label), Label.LISTED);
    }
    this.#deepest = Math.max(this.#deepest, labels.length);
    if (/^\d+$/.test(last)) this.#hasAddress = true;
  }

  createClosedTerms(): ClosedTerms {
    return new ClosedOutputs(this.#count, 0, false);
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.#scan(text, onTerm, closed as ClosedOutputs | undefined);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    const advice = this.#scan(text, onTerm, closed as ClosedOutputs | undefined);
    return advice === Advice.STOP || runPatternDfa(dfa, text) !== STALLED;
  }

  /** Visits the open terms of each link. Returns the advice by which it ended. */
  #scan(sent: string, onTerm: OnTerm, closed: ClosedOutputs | undefined): ReturnType<OnTerm> {
    const read = this.#isHardened ? asFollowed(sent) : undefined;
    const text = read?.text ?? sent;
    this.#steps = read === undefined ? 0 : sent.length;
    /** Ends of the hosts of the first reader, whose links are not visited again. */
    const ends = this.#readers.length > 1 ? new Set<number>() : undefined;
    for (const reader of this.#readers) {
      reader.begin(text);
      while (reader.next()) {
        this.#steps += STEPS_OF_A_LINK + reader.end - reader.start;
        if (ends?.has(reader.hostEnd) === true) continue;
        ends?.add(reader.hostEnd);
        for (const term of this.#termsOf(text, reader)) {
          if (closed?.has(term) === true) continue;
          const { start, end } = reader;
          const advice = onTerm(term, read?.sentOf(start) ?? start, read?.sentOf(end) ?? end, 0);
          if (endsTerms(advice)) return advice;
        }
      }
    }
    return Advice.CONTINUE;
  }

  /** Returns the terms that match the link that was read last. */
  #termsOf(text: string, reader: LinkReader): readonly number[] {
    const { hostStart, hostEnd, pathStart, end } = reader;
    const found = reader === this.#readers[0] && this.#any >= 0 ? [this.#any] : [];
    const host = this.#domains.size === 0 ? undefined : canonicalHost(text.slice(hostStart, hostEnd));
    if (host === undefined) return found;
    let segments: readonly string[] | undefined;
    for (let dot = host.length, labels = 0; dot >= 0 && labels < this.#deepest; labels++) {
      dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1);
      let place = this.#domains.get(host.slice(dot + 1));
      if (place?.below !== undefined) segments ??= canonicalPath(text.slice(pathStart, end)).split('/');
      for (let at = 1; place !== undefined; at++) {
        if (place.term >= 0) found.push(place.term);
        const segment = place.below && segments?.[at];
        place = segment === undefined ? undefined : place.below?.get(segment);
      }
    }
    return found;
  }

  #kindOf(label: string): number {
    // Nearly all of them are in numbers.
    const first = label.charCodeAt(0);
    if (first >= 0x30 && first <= 0x39 && this.#labels.size === 0) return Label.UNKNOWN;
    if (/^[\w-]*$/.test(label)) return this.#kindOfAscii(label.toLowerCase());
    const known = this.#remembered.get(label);
    if (known !== undefined) return known;
    this.#steps += STEPS_OF_A_LINK + label.length;
    const kind = this.#kindOfAscii(canonicalHost(label) ?? '');
    if (label.length > LONGEST_REMEMBERED) return kind;
    if (this.#remembered.size === REMEMBERED) this.#remembered.clear();
    this.#remembered.set(label, kind);
    return kind;
  }

  #kindOfAscii(label: string): number {
    if (this.#topLevel.has(label)) return Label.TOP_LEVEL;
    const isAddress = this.#hasAddress && /^(?:[\d.]+|0x[\da-f]*)$/.test(label);
    return isAddress || this.#labels.has(label) ? Label.LISTED : Label.UNKNOWN;
  }
}

/** Returns the place of a name, which is made where there is none. */
function placeIn(places: Map<string, Place>, name: string): Place {
  const place = places.get(name) ?? { term: -1 };
  places.set(name, place);
  return place;
}

/** Signs in place of the dots and the colon of a link that is not to be followed. */
const defanged = /\s?[[({]\s?([.:]|dot)\s?[\])}]\s?|(?<=[\p{L}\p{N}])\s{1,2}dot\s{1,2}(?=[\p{L}\p{N}])/giu;

/** Returns a text with the dots and colons of links that are not to be followed; `undefined` for one without such. */
function asFollowed(text: string): RewrittenText | undefined {
  const pieces = Array.from(text.matchAll(defanged), ({ 0: written, 1: sign, index: start }) => {
    return { start, end: start + written.length, read: sign === ':' ? ':' : '.' };
  });
  return rewrite(text, pieces);
}
