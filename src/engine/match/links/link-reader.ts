/**
 * Reads the links of a text one after the other, each as a browser reads it, in one pass.
 *
 * A token is a stretch without white space, control characters, `<`, `>` and `"`. Only tokens with
 * a dot or a colon are read. A link in a token is one of
 *
 *   scheme://user@host:port/path   any scheme with `://`; those of browsers with any number of
 * slashes or backslashes   user@host:port/path            if the host begins with `www.`, or its
 * last label is a top-level domain or, for listed domains, theirs
 *
 * A host after a scheme is what a browser takes for it. A host without one consists of letters,
 * digits, `-`, `_` and signs such as emoji. Text may follow it without a blank, so it ends with the
 * last label that makes sense: `evil.com.Then` is read as `evil.com`. Emoji, and letters of scripts
 * written without spaces, separate it from Latin ones: `看evil.com吧` holds `evil.com`. Other
 * punctuation ends a link, and so does a closing parenthesis that was opened before it; brackets,
 * braces, `|`, `^`, `·` and `—` belong to a path.
 *
 * A link that ends at a sign may go on after it, as a browser reads what is copied as a whole:
 * `wide` reads it so.
 *
 * INVARIANT: each unit is read a bounded number of times. A token is read from left to right, and
 * the next link begins after this one. After a scheme the search for the last `@` reads up to the
 * next slash, and no other search reads that stretch.
 */

import { classOfUnit, isDigit, isLetter, isOfScheme, isSlash, Unit } from './link-units.js';

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt } = String.prototype;

/** How a last label is known. */
export const Label = { UNKNOWN: 0, LISTED: 1, TOP_LEVEL: 2 } as const;

const { LABEL, SPACELESS, JOINER, SIGN, OTHER, AT, SLASH, END, DOT, COLON, PERCENT, UNKNOWN } = Unit;

/** The classes of the units that were met so far, shared by all readers. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN);

function learn(unit: number): number {
  const kind = classOfUnit(unit);
  classes[unit] = kind;
  return kind;
}

const OPEN = 0x28;
const CLOSE = 0x29;
const BRACKET = 0x5b;
const SMALL_W = 0x77;

const browserScheme = /^(?:h(?:tt|xx)ps?|wss?|ftp)$/i;
/** Units of `https` and a dot before it. */
const LONGEST_SCHEME = 6;
const wwwLabel = /www[.。．｡](?![.。．｡])/iy;
/** Units of `www.`. */
const WWW = 4;
const address = /\[[\da-f:.]*\]/iy;
/** Punctuation at the end of a path, which belongs to the sentence. */
const sentenceEnd = '.。．｡,:;!?*_~|^·—';
/** Other signs that a path may have, and their closing ones. */
const pathSigns = '[]{}|^·—';
const closing: Readonly<Record<string, string>> = { ']': '[', '}': '{' };
/** White space and signs that end a link, however it is read. */
const beyond = /[\s\p{Cc}<>]/u;
/** Steps of wide readings of a text, beside some for each of its units. */
const STEPS_OF_WIDE = 4096;

export class LinkReader {
  /** The span of the link that was read last. */
  start = 0;
  end = 0;
  /** Its host as it is written, and where its path, query or fragment begins. */
  hostStart = 0;
  hostEnd = 0;
  pathStart = 0;
  /** The end of the first reading, before punctuation was left to the sentence. */
  #stop = 0;
  /** The beginning of the authority, with its user name; whether a scheme stands before it. */
  #authorityStart = 0;
  hasScheme = false;
  /** Whether `%` was met in what was read of the text. */
  hasEscapes = false;
  /** Units that wide readings of this text may still take. */
  #wideLeft = 0;
  /** Parentheses that were opened and not closed, up to an offset. */
  #unclosed = 0;
  #countedTo = 0;
  /** How many units were read in tokens, some of them several times. */
  reads = 0;
  readonly #kindOf: (label: string) => number;
  readonly #least: number;
  #text = '';
  #at = 0;
  #isInToken = false;
  /**
   * The last dot of the run that was read last, or -1, and whether it consists of letters, digits
   * and single dots.
   */
  #lastDot = -1;
  #isPlain = true;
  /** Whether the scheme that was read last is one of browsers. */
  #isBrowsers = false;

  /**
   * `kindOf` says how a last label is known: a value of `Label`. A host without a scheme and `www.`
   * has a label that is known as `least` or better.
   */
  constructor(kindOf: (label: string) => number, least: number) {
    this.#kindOf = kindOf;
    this.#least = least;
  }

  begin(text: string): void {
    this.#text = text;
    this.#at = 0;
    this.#isInToken = false;
    this.#wideLeft = STEPS_OF_WIDE + 4 * text.length;
    this.#unclosed = 0;
    this.#countedTo = 0;
    this.hasEscapes = false;
    this.reads = 0;
  }

  /** Reads the next link. Returns false when there is none. */
  next(): boolean {
    while (this.#isInToken || this.#findToken()) {
      for (let kind = this.#classAt(this.#at); kind !== END; kind = this.#classAt(this.#at)) {
        if (!isOfRun(kind)) this.#at++;
        else if (this.#readChain()) return true;
      }
      this.#isInToken = false;
    }
    return false;
  }

  /**
   * Goes to the beginning of the next token that is worth reading: it holds a dot before a known
   * label, or a colon before a slash.
   */
  #findToken(): boolean {
    const text = this.#text;
    const { length } = text;
    const from = this.#at;
    for (let at = from; at < length; at++) {
      const kind = classes[charCodeAt.call(text, at)]!;
      if (kind <= END) continue;
      if (kind === UNKNOWN) {
        learn(charCodeAt.call(text, at--));
        continue;
      }
      if (kind === PERCENT) {
        this.hasEscapes = true;
        continue;
      }
      if (kind === COLON ? !isSlash(charCodeAt.call(text, at + 1)) : !this.#mayEndHost(at)) continue;
      let begin = at;
      while (begin > from && this.#classAt(begin - 1) !== END) begin--;
      this.reads += at - begin;
      this.#at = begin;
      this.#isInToken = true;
      return true;
    }
    this.#at = length;
    return false;
  }

  /**
   * Reports whether a host may have its last dot here: a plain label after it is known, or `www`
   * stands before it.
   */
  #mayEndHost(dot: number): boolean {
    const text = this.#text;
    let end = dot + 1;
    while (this.#classAt(end) === LABEL && charCodeAt.call(text, end) < 0x80) end++;
    const behind = this.#classAt(end);
    if (end === dot + 1 || behind === LABEL || behind === JOINER) return behind <= JOINER;
    this.reads += end - dot;
    return (charCodeAt.call(text, dot - 1) | 0x20) === SMALL_W || this.#kindOf(text.slice(dot + 1, end)) >= this.#least;
  }

  /** Returns the class of a unit; `END` after the text. */
  #classAt(at: number): number {
    if (at >= this.#text.length) return END;
    const unit = charCodeAt.call(this.#text, at);
    let kind = classes[unit]!;
    if (kind === UNKNOWN) kind = learn(unit);
    if (kind !== PERCENT) return kind;
    this.hasEscapes = true;
    return LABEL;
  }

  /**
   * Reads a link with a scheme, or runs with `@` between them, of which the last one that is a host
   * counts.
   */
  #readChain(): boolean {
    const first = this.#at;
    let found = false;
    for (let run = first; ; ) {
      const end = this.#endOfRun(run);
      const scheme = this.#schemeBefore(run, end);
      if (scheme >= 0) {
        this.#at = found ? run : end + 1;
        return found || this.#readBehindScheme(scheme);
      }
      if (this.#lastDot >= 0 && this.#readHost(run, end)) {
        found = true;
        this.start = run === first ? this.hostStart : first;
        this.#authorityStart = this.start;
        this.hasScheme = false;
        this.#at = this.#readPath(end);
      } else if (!found) this.#at = Math.max(end, first + 1);
      const behind = this.#classAt(end) === COLON ? this.#endOfDigits(end + 1) : end;
      if (end === run || this.#classAt(behind) !== AT) return found;
      run = behind + 1;
    }
  }

  /**
   * Returns the end of a stretch of units that a host without a scheme may have. It ends where
   * Latin letters follow spaceless ones.
   */
  #endOfRun(from: number): number {
    const text = this.#text;
    let before: number = LABEL;
    let at = from;
    this.#lastDot = -1;
    this.#isPlain = true;
    for (; ; at++) {
      const kind = this.#classAt(at);
      if (kind === DOT) {
        if (before === DOT) this.#isPlain = false;
        this.#lastDot = at;
      } else if (kind > JOINER) break;
      else if (kind !== LABEL) this.#isPlain = false;
      // The second half of a character is one of letters and of emoji.
      if (kind === LABEL && before === SPACELESS) {
        if ((charCodeAt.call(text, at) & 0xfc00) !== 0xdc00) break;
      } else before = kind;
    }
    this.reads += at - from;
    return at;
  }

  #endOfDigits(from: number): number {
    let at = from;
    while (isDigit(charCodeAt.call(this.#text, at))) at++;
    return at;
  }

  /**
   * Returns where the scheme begins that a run ends with, if a colon and the slashes that it needs
   * follow; -1 otherwise.
   */
  #schemeBefore(run: number, end: number): number {
    const text = this.#text;
    if (this.#classAt(end) !== COLON || !isSlash(charCodeAt.call(text, end + 1))) return -1;
    let begin = end;
    while (begin > run && isOfScheme(charCodeAt.call(text, begin - 1)) && !text.startsWith('..', begin - 1)) begin--;
    while (begin < end && !isLetter(charCodeAt.call(text, begin))) begin++;
    // A sentence that ends without a blank before `http:`.
    const tail = text.slice(Math.max(begin, end - LONGEST_SCHEME), end);
    const name = tail.slice(tail.lastIndexOf('.') + 1);
    if (name.length < tail.length && browserScheme.test(name)) begin = end - name.length;
    this.reads += end - run;
    this.#isBrowsers = end - begin < 6 && browserScheme.test(text.slice(begin, end));
    return begin < end && (this.#isBrowsers || text.startsWith('//', end + 1)) ? begin : -1;
  }

  /**
   * Reads the host and the path of a link after the colon of its scheme. Returns false when it has
   * no host.
   */
  #readBehindScheme(start: number): boolean {
    if (!this.#isBrowsers) this.#at += 2;
    else while (isSlash(charCodeAt.call(this.#text, this.#at))) this.#at++;
    this.#authorityStart = this.#at;
    this.#readAuthority(this.#at);
    this.start = start;
    this.hasScheme = true;
    if (this.hostEnd === this.hostStart) return false;
    this.#at = this.#readPath(this.hostEnd);
    return true;
  }

  /** Reads the host after a scheme and its slashes: after the last `@` before the next slash. */
  #readAuthority(from: number): void {
    const text = this.#text;
    let host = from;
    let end = -1;
    let open = 0;
    let at = from;
    for (; ; at++) {
      const kind = this.#classAt(at);
      if (kind === LABEL || kind === DOT) continue;
      if (kind <= SIGN) this.#isPlain = false;
      else if (kind === END || kind === SLASH) break;
      else if (end < 0) end = at;
      if (kind < OTHER) continue;
      if (kind === AT) {
        host = at + 1;
        end = -1;
      }
      const unit = charCodeAt.call(text, at);
      if (unit === OPEN) open++;
      else if (unit === CLOSE && open-- <= 0 && this.#isOpenBefore(from)) break;
    }
    this.reads += at - from;
    this.#stop = end < 0 ? at : end;
    this.hostStart = host;
    this.hostEnd = end < 0 ? at : end;
    if (charCodeAt.call(text, host) === BRACKET) {
      address.lastIndex = host;
      this.hostEnd = host + (address.exec(text)?.[0].length ?? 0);
    } else if (!this.#isPlain || this.#classAt(this.hostEnd - 1) !== LABEL) {
      const behind = this.#behindPort(this.hostEnd);
      if (behind === this.hostEnd && this.#classAt(behind) !== SLASH) this.#trimHost();
    }
  }

  /**
   * Takes off the end of a host what is not the host's: punctuation, and text in a script written
   * without spaces.
   */
  #trimHost(): void {
    const from = this.hostStart;
    let to = this.hostEnd;
    while (to > from && this.#classAt(to - 1) > SPACELESS) to--;
    this.reads += this.hostEnd - to;
    for (let dot = this.#dotBefore(from, to); ; dot = this.#dotBefore(from, to)) {
      const end = this.#endOfLabel(dot + 1, to);
      const isSentence =
        dot > from && end === to && this.#text.charAt(dot) !== '.' && this.#classAt(dot + 1) === SPACELESS;
      if (!isSentence || this.#kindOf(this.#text.slice(dot + 1, to)) !== Label.UNKNOWN) {
        // Dots alone are no host.
        this.hostEnd = this.#behindJoiners(from) < end ? end : from;
        return;
      }
      to = dot;
    }
  }

  /** Returns the offset of the last dot of a stretch, or of the unit before it. */
  #dotBefore(from: number, to: number): number {
    let at = to - 1;
    while (at >= from && this.#classAt(at) !== DOT) at--;
    this.reads += to - at;
    return at;
  }

  /**
   * Returns the end of a label without the text of a script written without spaces that follows
   * Latin letters, and without `-`, `_` and `%`.
   */
  #endOfLabel(from: number, to: number): number {
    let end = to;
    this.reads += to - from;
    if (this.#classAt(from) !== SPACELESS)
      for (let at = to - 1; at > from; at--) if (this.#classAt(at) === SPACELESS) end = at;
    while (end > from && this.#classAt(end - 1) === JOINER) end--;
    return end;
  }

  /**
   * Reads a run as a host without a scheme: up to the last label that is known, or all of it after
   * `www.`. Returns false when it is none.
   */
  #readHost(run: number, end: number): boolean {
    let [begin, behind] = [run, 0];
    for (let dot = this.#lastDot, to = end; dot > run; to = dot, dot = this.#dotBefore(run, to)) {
      behind = this.#isPlain ? to : this.#endOfLabel(dot + 1, to);
      if (behind === dot + 1 || this.#classAt(dot - 1) === DOT) continue;
      if (this.#kindOf(this.#text.slice(dot + 1, behind)) < this.#least) continue;
      for (begin = this.#isPlain ? run : dot - 1; begin > run; begin--)
        if (this.#classAt(begin) === DOT && this.#classAt(begin - 1) === DOT) break;
      this.reads += dot - begin;
      begin = this.#behindJoiners(begin);
      if (begin < dot) return this.#take(begin, behind);
      break;
    }
    begin = this.#behindJoiners(run);
    wwwLabel.lastIndex = begin;
    if ((charCodeAt.call(this.#text, begin) | 0x20) !== SMALL_W || !wwwLabel.test(this.#text)) return false;
    behind = this.#endOfLabel(this.#dotBefore(run, end) + 1, end);
    return behind > begin + WWW && this.#take(begin, behind);
  }

  #take(start: number, end: number): true {
    this.hostStart = start;
    this.hostEnd = end;
    return true;
  }

  #behindJoiners(from: number): number {
    let at = from;
    for (let kind = this.#classAt(at); kind === DOT || kind === JOINER; kind = this.#classAt(at)) at++;
    return at;
  }

  /** Returns the offset after a port, which may be empty before a path; `end` if there is none. */
  #behindPort(end: number): number {
    if (this.#classAt(end) !== COLON) return end;
    const behind = this.#endOfDigits(end + 1);
    return behind > end + 1 || this.#classAt(behind) === SLASH ? behind : end;
  }

  /**
   * Reads what follows a run or a host that ends at `end`: a port and a path. Returns where the
   * next link may begin.
   */
  #readPath(end: number): number {
    // A dot at the end of the name of a host, before its path.
    const isWhole = this.hostEnd === end || (this.hostEnd + 1 === end && this.#classAt(this.hostEnd) === DOT);
    let at = isWhole ? this.#behindPort(end) : end;
    const hasPath = isWhole && this.#classAt(at) === SLASH;
    this.pathStart = hasPath || at > end ? at : this.hostEnd;
    this.end = this.pathStart;
    if (!hasPath) {
      // A host without a scheme ends at any sign.
      if (!this.hasScheme) this.#stop = this.#text.length;
      return at;
    }
    let open = 0;
    for (let kind: number = SLASH; kind !== END; kind = this.#classAt(++at)) {
      const unit = charCodeAt.call(this.#text, at);
      if (unit === OPEN) open++;
      else if (unit === CLOSE && open > 0) open--;
      else if (kind === OTHER && !pathSigns.includes(this.#text.charAt(at)))
        if (unit !== CLOSE || this.#isOpenBefore(this.start)) break;
    }
    this.end = at;
    this.#stop = at;
    this.reads += at - end;
    this.#leaveToSentence();
    if (this.end === end) this.end = this.hostEnd;
    return at;
  }

  /** Takes punctuation off the end of a path, and brackets that nothing in it opened. */
  #leaveToSentence(): void {
    const path = this.#text.slice(this.pathStart, this.end);
    for (; this.end > this.pathStart; this.end--) {
      const last = this.#text.charAt(this.end - 1);
      const opening = closing[last];
      if (opening === undefined ? !sentenceEnd.includes(last) : path.includes(opening)) return;
    }
  }

  /**
   * Reports whether a parenthesis is open at an offset, which is no smaller than at the call
   * before.
   */
  #isOpenBefore(offset: number): boolean {
    this.reads += Math.max(0, offset - this.#countedTo);
    for (; this.#countedTo < offset; this.#countedTo++) {
      const unit = charCodeAt.call(this.#text, this.#countedTo);
      if (unit === OPEN) this.#unclosed++;
      else if (unit === CLOSE && this.#unclosed > 0) this.#unclosed--;
    }
    return this.#unclosed > 0;
  }

  /**
   * Returns the link as it reads if it goes on after the sign at which it ended; `undefined` if it
   * ended for good, `'unread'` if the text has more such links than may be read in time.
   */
  wide(): WideLink | 'unread' | undefined {
    const text = this.#text;
    const stop = this.#stop;
    if (stop >= text.length || beyond.test(text.charAt(stop)) || this.#classAt(stop) <= JOINER) return undefined;
    let end = stop;
    let isMore = false;
    for (; end < text.length && this.#wideLeft > 0; end++, this.#wideLeft--) {
      const kind = this.#classAt(end);
      if (kind === END && beyond.test(text.charAt(end))) break;
      isMore ||= kind <= SPACELESS;
    }
    this.reads += end - stop;
    if (this.#wideLeft <= 0) return 'unread';
    if (!isMore) return undefined;
    while (end > stop && this.#classAt(end - 1) > SPACELESS && this.#classAt(end - 1) !== SLASH) end--;
    const [, authority = '', path = ''] = /^([^/\\?#]*)(.*)$/s.exec(text.slice(this.#authorityStart, end)) ?? [];
    // A sign within the authority changes the host only before an `@`, or if more labels follow.
    const rest = authority.slice(Math.max(0, stop - this.#authorityStart));
    if (stop <= this.#authorityStart + authority.length && !/[.@]/.test(rest)) return undefined;
    return { host: authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, ''), path, end };
  }
}

/** A link that is read beyond the sign at which its first reading ended. */
interface WideLink {
  readonly host: string;
  readonly path: string;
  readonly end: number;
}

function isOfRun(kind: number): boolean {
  return kind <= JOINER || kind === DOT;
}
