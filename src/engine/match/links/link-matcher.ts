/**
 * Finds links to listed domains: the matcher of the reading `links`. A term is a domain with or
 * without a path, and matches a link whose host is the domain or below it, and whose path begins
 * with the term's at a segment; `*` matches any link. The span is the link.
 *
 * Links are read one after the other (`link-reader.ts`), and hosts are looked up by their domains
 * from the shortest to the longest, so a link costs the same whatever the number of terms is. Where
 * two readings of a link differ, a term of a rule matches as either of them, and an exception only
 * as both. Under `hardened` a text is read without the signs that keep a link from being followed:
 * `hxxp`, `[.]`, `(.)`, `[dot]`, ` dot `.
 *
 * Example, with the terms `example.com` and `example.org/a`: in `see www.EXAMPLE.com, or
 * example.org/b` the host `www.example.com` has the domains `com` and `example.com`, of which the
 * second is listed. That of the second link is too, but its path is `/b`.
 */
import { inRanges, type Portions } from '../../../foundation/portions.js';
import { ClosedOutputs } from '../closed-terms.js';
import { Advice, type ClosedTerms, endsTerms, type KeywordMatcher, type OnTerm } from '../keyword-scan.js';
import { type PatternDfa, runPatternDfa, STALLED } from '../patterns/lazy-dfa.js';
import { type RewrittenText, rewrite } from '../rewritten-text.js';
import { ANY_LINK, canonicalHosts, canonicalPath } from './host.js';
import { Label, LinkReader } from './link-reader.js';
import { topLevelDomains } from './top-level-domains.js';

/**
 * A domain, or a path of one: the term that it is, or -1, and the paths that are one segment
 * longer.
 */
interface Place {
  term: number;
  below?: Map<string, Place>;
}

/** How links are read. */
interface LinkOptions {
  /** Links that cannot be followed are found too. */
  readonly isHardened: boolean;
  /** The terms are exceptions: they match only as every reading of a link. */
  readonly isExcepting: boolean;
}

/** Compiles terms in the form of `readLinkTerm`, each given once, in portions. */
export function* createLinkMatcher(terms: readonly string[], options: LinkOptions): Portions<KeywordMatcher> {
  const matcher = new LinkMatcher(terms.length, options);
  yield* inRanges(terms.length, (begin, end) => {
    for (let term = begin; term < end; term++) matcher.add(terms[term]!, term);
  });
  return matcher;
}

/** A term that matches a link, and the end of the link as it matches. */
interface FoundLink {
  readonly term: number;
  readonly end: number;
}

const nothing: readonly FoundLink[] = [];

/** Steps of a link beside its units: a parser of the platform may read its host. */
const STEPS_OF_A_LINK = 64;
/** The most last labels in other scripts that are remembered. */
const REMEMBERED = 1 << 12;
const LONGEST_REMEMBERED = 64;

class LinkMatcher implements KeywordMatcher {
  readonly #count: number;
  readonly #options: LinkOptions;
  /**
   * The reader of links, and if a listed last label is not a top-level domain, one that takes these
   * labels for last ones too.
   */
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

  constructor(count: number, options: LinkOptions) {
    this.#count = count;
    this.#options = options;
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
    let domain = placeIn(this.#domains, name);
    const segments = slash < 0 ? [] : written.slice(slash + 1).split('/');
    for (const segment of segments) {
      domain.below ??= new Map();
      domain = placeIn(domain.below, segment);
    }
    domain.term = term;
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
    let read = this.#options.isHardened ? asFollowed(sent, defanged) : undefined;
    let text = read?.text ?? sent;
    this.#steps = read === undefined ? 0 : sent.length;
    /** Ends of the hosts of the first reader, whose links are not visited again. */
    const ends = this.#readers.length > 1 ? new Set<number>() : undefined;
    for (const reader of this.#readers) {
      reader.begin(text);
      let isFound = reader.next();
      if (read === undefined && (isFound || reader.hasEscapes) && sent.includes('%2')) {
        read = asFollowed(sent, escapedDot);
        text = read?.text ?? sent;
        this.#steps += sent.length;
        reader.begin(text);
        isFound = reader.next();
      }
      for (; isFound; isFound = reader.next()) {
        this.#steps += STEPS_OF_A_LINK + reader.end - reader.start;
        if (ends?.has(reader.hostEnd) === true) continue;
        ends?.add(reader.hostEnd);
        for (const { term, end } of this.#termsOf(text, reader)) {
          if (closed?.has(term) === true) continue;
          const { start } = reader;
          const advice = onTerm(term, read?.sentOf(start) ?? start, read?.sentOf(end) ?? end, 0);
          if (endsTerms(advice)) return advice;
        }
      }
    }
    return Advice.CONTINUE;
  }

  /**
   * Returns the terms that match the link that was read last, each with the end of the link as it
   * matches.
   */
  #termsOf(text: string, reader: LinkReader): readonly FoundLink[] {
    const { hostStart, hostEnd, pathStart, end } = reader;
    const host = text.slice(hostStart, hostEnd);
    const isAny = this.#any >= 0 && reader === this.#readers[0] && !isForgottenBlank(text, reader);
    const any = isAny ? [{ term: this.#any, end }] : nothing;
    if (this.#domains.size === 0) return any;
    const hosts = canonicalHosts(host);
    const wide = reader.wide();
    const path = () => text.slice(pathStart, end);
    if (hosts.length === 1 && wide === undefined) {
      const terms = this.#listed(hosts[0]!, path);
      return terms.length === 0 ? any : [...any, ...terms.map((term) => ({ term, end }))];
    }
    const readings = hosts.map((candidate) => ({ terms: this.#listed(candidate, path), end }));
    if (typeof wide === 'object')
      for (const candidate of canonicalHosts(wide.host))
        readings.push({ terms: this.#listed(candidate, () => wide.path), end: wide.end });
    if (this.#options.isExcepting) {
      const [first = { terms: [] }] = wide === 'unread' ? [] : readings;
      const common = first.terms.filter((term) => readings.every(({ terms }) => terms.includes(term)));
      return [...any, ...common.map((term) => ({ term, end }))];
    }
    const found = new Map<number, number>();
    for (const reading of readings)
      for (const term of reading.terms) if (!found.has(term)) found.set(term, reading.end);
    return [...any, ...Array.from(found, ([term, to]) => ({ term, end: to }))];
  }

  /**
   * Returns the terms of a host and of the path after it, which is read only if a term of the host
   * has one.
   */
  #listed(host: string, pathOf: () => string): readonly number[] {
    const found: number[] = [];
    let segments: readonly string[] | undefined;
    for (let dot = host.length, labels = 0; dot >= 0 && labels < this.#deepest; labels++) {
      dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1);
      let domain = this.#domains.get(host.slice(dot + 1));
      if (domain?.below !== undefined) segments ??= canonicalPath(pathOf()).split('/');
      for (let at = 1; domain !== undefined; at++) {
        if (domain.term >= 0) found.push(domain.term);
        const segment = domain.below && segments?.[at];
        domain = segment === undefined ? undefined : domain.below?.get(segment);
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
    const kind = canonicalHosts(label).reduce(
      (most, host) => Math.max(most, this.#kindOfAscii(host)),
      Label.UNKNOWN as number,
    );
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
function placeIn(domains: Map<string, Place>, name: string): Place {
  const domain = domains.get(name) ?? { term: -1 };
  domains.set(name, domain);
  return domain;
}

/**
 * Reports whether a link is probably a sentence that ends and another that begins without a blank,
 * such as `love.You`: it has no scheme, `www.` or path, and its last label is not written in small
 * letters, nor in the case of the label before it.
 */
function isForgottenBlank(text: string, { hasScheme, hostStart, hostEnd, end }: LinkReader): boolean {
  if (hasScheme || end > hostEnd) return false;
  const [, before = '', last = ''] = /([^.。．｡]*)[.。．｡]([^.。．｡]*)$/.exec(text.slice(hostStart, hostEnd)) ?? [];
  const isWww = /^www[.。．｡]/i.test(text.slice(hostStart, hostStart + WWW));
  return !isWww && last !== last.toLowerCase() && caseOf(last) !== caseOf(before);
}

/** Units of `www.`. */
const WWW = 4;

function caseOf(label: string): 'small' | 'capital' | 'title' | 'mixed' {
  const [first = '', rest = ''] = [label.slice(0, 1), label.slice(1)];
  if (label === label.toLowerCase()) return 'small';
  if (label === label.toUpperCase() && rest !== '') return 'capital';
  return first !== first.toLowerCase() && rest === rest.toLowerCase() ? 'title' : 'mixed';
}

/** Dots of a host or a path that are escaped. */
const escapedDot = /%2e/gi;
/** Signs in place of the dots and the colon of a link that is not to be followed. */
const defanged = /%2e|\s?[[({]\s?([.:]|dot)\s?[\])}]\s?|(?<=[\p{L}\p{N}])\s{1,2}dot\s{1,2}(?=[\p{L}\p{N}])/giu;

/**
 * Returns a text with escaped dots, and dots and colons of links that are not to be followed;
 * `undefined` for one without such.
 */
function asFollowed(text: string, signs: RegExp): RewrittenText | undefined {
  const pieces = Array.from(text.matchAll(signs), ({ 0: written, 1: sign, index: start }) => {
    return { start, end: start + written.length, read: sign === ':' ? ':' : '.' };
  });
  return rewrite(text, pieces);
}
