/**
 * Reads the links of a text one after the other, each as a browser reads it, in one pass.
 *
 * A token is a stretch without white space, control characters, `<`, `>` and `"`. Only tokens with a dot or a colon are read. A
 * link in a token is one of
 *
 *   scheme://user@host:port/path   any scheme with `://`; those of browsers with any number of slashes or backslashes
 *   user@host:port/path            if the host begins with `www.`, or its last label is a top-level domain or, for listed domains, theirs
 *
 * A host behind a scheme is what a browser takes for it. A host without one consists of letters, digits, `-`, `_` and signs such as emoji. Text
 * may follow it without a blank, so it ends with the last label that makes sense: `evil.com.Then` is read as `evil.com`. Emoji, and letters of
 * scripts written without spaces, separate it from Latin ones: `看evil.com吧` holds `evil.com`. Other punctuation ends a link, and a closing
 * parenthesis does that was opened before it.
 *
 * INVARIANT: each unit is read a bounded number of times. A token is read from left to right, and the next link begins behind this one. Behind
 * a scheme the search for the last `@` reads up to the next slash, and no other search reads that stretch.
 */

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt } = String.prototype;

/** How a last label is known. */
export const Label = { UNKNOWN: 0, LISTED: 1, TOP_LEVEL: 2 } as const;

/** Classes of units. A token with a unit of `DOT` or above is worth reading. */
const LABEL = 0;
/** Emoji, and letters of scripts written without spaces or, as Hangul, with particles that follow a name at once. */
const SPACELESS = 1;
/** Signs that a host has only behind a scheme. */
const SIGN = 2;
const OTHER = 3;
const AT = 4;
const SLASH = 5;
const END = 6;
const DOT = 7;
const COLON = 8;
const UNKNOWN = 9;

const OPEN = 0x28;
const CLOSE = 0x29;
const BRACKET = 0x5b;
/** Units of `www.`. */
const WWW = 4;

const browserScheme = /^(?:h(?:tt|xx)ps?|wss?|ftp)$/i;
const wwwLabel = /www[.。．｡](?![.。．｡])/iy;
const joiner = /[-_%]/;
const leading = /[-_]/;
const schemeUnit = /[a-z0-9+.-]/i;
const address = /\[[\da-f:.]*\]/iy;
const spaceless =
  /^(?![\p{scx=Latin}ⓐ-ⓩⒶ-Ⓩ])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Hangul}\p{So}\p{Sk}]$|^[\ufe00-\ufe0f]$|^\u20e3$/u;
const inHost = /^[\p{L}\p{N}\p{M}\p{So}\p{Sk}\p{Cs}]$|^(?![\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])\p{Cf}$/u;
/** Punctuation at the end of a path, which belongs to the sentence. */
const sentenceEnd = '.。．｡,:;!?*_~';

function classOf(unit: number): number {
  const character = String.fromCharCode(unit);
  if ('.。．｡'.includes(character)) return DOT;
  if ('/\\?#'.includes(character)) return SLASH;
  if ('!$&*+=~'.includes(character)) return SIGN;
  if (character === ':') return COLON;
  if (character === '@') return AT;
  if ('-_%'.includes(character)) return LABEL;
  // The high surrogates of emoji and of Han.
  if ((unit >= 0xd83c && unit <= 0xd83e) || (unit >= 0xd840 && unit <= 0xd88f)) return SPACELESS;
  if (unit < 0x80 ? /[a-z0-9]/i.test(character) : inHost.test(character))
    return unit >= 0x80 && spaceless.test(character) ? SPACELESS : LABEL;
  return /[\s\p{Cc}<>"]/u.test(character) ? END : OTHER;
}

/** The classes of the units that were met so far, shared by all readers. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN);

function learn(unit: number): number {
  const known = classOf(unit);
  classes[unit] = known;
  return known;
}

export class LinkReader {
  /** The span of the link that was read last. */
  start = 0;
  end = 0;
  /** Its host as it is written, and where its path, query or fragment begins. */
  hostStart = 0;
  hostEnd = 0;
  pathStart = 0;
  /** How many units were read in tokens, some of them several times. */
  reads = 0;
  readonly #kindOf: (label: string) => number;
  readonly #least: number;
  #text = '';
  #at = 0;
  #isInToken = false;

  /** `kindOf` says how a last label is known: a value of `Label`. A host without a scheme and `www.` has a label that is known as `least` or better. */
  constructor(kindOf: (label: string) => number, least: number) {
    this.#kindOf = kindOf;
    this.#least = least;
  }

  begin(text: string): void {
    this.#text = text;
    this.#at = 0;
    this.#isInToken = false;
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

  /** Goes to the beginning of the next token that is worth reading. */
  #findToken(): boolean {
    const text = this.#text;
    const { length } = text;
    let from = this.#at;
    for (let at = from; at < length; at++) {
      let kind = classes[charCodeAt.call(text, at)]!;
      if (kind < END) continue;
      if (kind === UNKNOWN) kind = learn(charCodeAt.call(text, at));
      if (kind === END) from = at + 1;
      else if (kind > END) {
        this.#at = from;
        this.#isInToken = true;
        return true;
      }
    }
    this.#at = length;
    return false;
  }

  /** Returns the class of a unit; `END` behind the text. */
  #classAt(at: number): number {
    this.reads++;
    if (at >= this.#text.length) return END;
    const unit = charCodeAt.call(this.#text, at);
    const kind = classes[unit]!;
    return kind === UNKNOWN ? learn(unit) : kind;
  }

  /** Reads a link with a scheme, or runs with `@` between them, of which the last one that is a host counts. */
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
      if (this.#readHost(run, end)) {
        found = true;
        this.start = run === first ? this.hostStart : first;
        this.#at = this.#readPath(end);
      } else if (!found) this.#at = Math.max(end, first + 1);
      const behind = this.#classAt(end) === COLON ? this.#endOfDigits(end + 1) : end;
      if (end === run || this.#classAt(behind) !== AT) return found;
      run = behind + 1;
    }
  }

  /** Returns the end of a stretch of units that a host without a scheme may have. It ends where Latin letters follow spaceless ones. */
  #endOfRun(from: number): number {
    for (let at = from; ; at++) {
      const kind = this.#classAt(at);
      if (!isOfRun(kind)) return at;
      if (at > from && kind === LABEL && this.#isLetter(at) && this.#isSpacelessBefore(at)) return at;
    }
  }

  /** Reports whether a unit of class `LABEL` is a letter or a digit, and not the second half of one. */
  #isLetter(at: number): boolean {
    const unit = charCodeAt.call(this.#text, at);
    return !this.#isJoiner(at) && (unit & 0xfc00) !== 0xdc00;
  }

  /** Reports whether a unit is `-`, `_` or `%`. */
  #isJoiner(at: number): boolean {
    return joiner.test(this.#text.charAt(at));
  }

  #isSpacelessBefore(at: number): boolean {
    const isHalf = (charCodeAt.call(this.#text, at - 1) & 0xfc00) === 0xdc00;
    return this.#classAt(isHalf ? at - 2 : at - 1) === SPACELESS;
  }

  #endOfDigits(from: number): number {
    let at = from;
    while (charCodeAt.call(this.#text, at) >= 0x30 && charCodeAt.call(this.#text, at) <= 0x39) at++;
    return at;
  }

  /** Returns where the scheme begins that a run ends with, if a colon and the slashes that it needs follow; -1 otherwise. */
  #schemeBefore(run: number, end: number): number {
    const text = this.#text;
    if (this.#classAt(end) !== COLON || !isSlash(text.charAt(end + 1))) return -1;
    let begin = end;
    while (begin > run && schemeUnit.test(text.charAt(begin - 1))) begin--;
    while (begin < end && !/[a-z]/i.test(text.charAt(begin))) begin++;
    this.reads += end - run;
    if (begin === end) return -1;
    return text.startsWith('//', end + 1) || browserScheme.test(text.slice(begin, end)) ? begin : -1;
  }

  /** Reads the host and the path of a link behind the colon of its scheme. Returns false when it has no host. */
  #readBehindScheme(start: number): boolean {
    const text = this.#text;
    if (!browserScheme.test(text.slice(start, this.#at - 1))) this.#at += 2;
    else while (isSlash(text.charAt(this.#at))) this.#at++;
    this.hostStart = this.#behindUser(this.#at);
    let at = this.hostStart;
    if (charCodeAt.call(text, at) === BRACKET) {
      address.lastIndex = at;
      at += address.exec(text)?.[0].length ?? 0;
    } else for (let kind = this.#classAt(at); isOfRun(kind) || kind === SIGN; kind = this.#classAt(at)) at++;
    this.start = start;
    this.hostEnd = at;
    if (this.#classAt(at) !== SLASH && this.#behindPort(at) === at) this.#trimHost();
    if (this.hostEnd === this.hostStart) return false;
    this.#at = this.#readPath(this.hostEnd);
    return true;
  }

  /** Returns the offset behind the last `@` before a slash, or `from` if there is none. */
  #behindUser(from: number): number {
    let host = from;
    let open = 0;
    for (let at = from; ; at++) {
      const kind = this.#classAt(at);
      if (kind === END || kind === SLASH) return host;
      if (kind === AT) host = at + 1;
      else if (kind !== OTHER) continue;
      const unit = charCodeAt.call(this.#text, at);
      if (unit === OPEN) open++;
      else if (unit === CLOSE && open-- === 0) return host;
    }
  }

  /** Takes off the end of a host what is not the host's: punctuation, and text in a script written without spaces. */
  #trimHost(): void {
    const from = this.hostStart;
    let to = this.hostEnd;
    for (let kind: number; to > from; to--) {
      kind = this.#classAt(to - 1);
      if (kind !== DOT && kind !== SIGN && !this.#isJoiner(to - 1)) break;
    }
    for (let dot = this.#dotBefore(from, to); ; dot = this.#dotBefore(from, to)) {
      const end = this.#endOfLabel(dot + 1, to);
      const isSentence =
        dot > from && end === to && this.#text.charAt(dot) !== '.' && this.#classAt(dot + 1) === SPACELESS;
      if (!isSentence || this.#kindOf(this.#text.slice(dot + 1, to)) !== Label.UNKNOWN) {
        this.hostEnd = end;
        return;
      }
      to = dot;
    }
  }

  /** Returns the offset of the last dot of a stretch, or of the unit before it. */
  #dotBefore(from: number, to: number): number {
    let at = to - 1;
    while (at >= from && this.#classAt(at) !== DOT) at--;
    return at;
  }

  /** Returns the end of a label without the text of a script written without spaces that follows Latin letters, and without `-`, `_` and `%`. */
  #endOfLabel(from: number, to: number): number {
    let end = to;
    if (this.#classAt(from) !== SPACELESS)
      for (let at = to - 1; at > from; at--) if (this.#classAt(at) === SPACELESS) end = at;
    while (end > from && this.#isJoiner(end - 1)) end--;
    return end;
  }

  /** Reads a run as a host without a scheme: up to the last label that is known, or all of it behind `www.`. Returns false when it is none. */
  #readHost(run: number, end: number): boolean {
    for (let dot = this.#dotBefore(run, end), to = end; dot > run; to = dot, dot = this.#dotBefore(run, to)) {
      const behind = this.#endOfLabel(dot + 1, to);
      if (behind === dot + 1 || this.#classAt(dot - 1) === DOT) continue;
      const kind = this.#kindOf(this.#text.slice(dot + 1, behind));
      if (kind < this.#least) continue;
      const begin = this.#beginOfHost(run, dot);
      if (begin >= dot) break;
      this.#setHost(begin, behind);
      return true;
    }
    const begin = this.#behindJoiners(run);
    const dot = this.#isWww(begin) ? this.#dotBefore(begin, end) : -1;
    const behind = dot < 0 ? -1 : this.#endOfLabel(dot + 1, end);
    if (behind <= begin + WWW) return false;
    this.#setHost(begin, behind);
    return true;
  }

  /** Returns where a host begins that has a dot at an offset: behind dots side by side, and behind `-`, `_` and `%`. */
  #beginOfHost(run: number, dot: number): number {
    let begin = dot - 1;
    while (begin > run && !(this.#classAt(begin) === DOT && this.#classAt(begin - 1) === DOT)) begin--;
    return this.#behindJoiners(begin);
  }

  #setHost(start: number, end: number): void {
    this.hostStart = start;
    this.hostEnd = end;
  }

  #setPath(at: number): void {
    this.pathStart = at;
    this.end = at;
  }

  #behindJoiners(from: number): number {
    let at = from;
    while (this.#classAt(at) === DOT || leading.test(this.#text.charAt(at))) at++;
    return at;
  }

  #isWww(at: number): boolean {
    wwwLabel.lastIndex = at;
    return wwwLabel.test(this.#text);
  }

  /** Returns the offset behind a port, which may be empty before a path; `end` if there is none. */
  #behindPort(end: number): number {
    if (this.#classAt(end) !== COLON) return end;
    const behind = this.#endOfDigits(end + 1);
    return behind > end + 1 || this.#classAt(behind) === SLASH ? behind : end;
  }

  /** Reads what follows a run or a host that ends at `end`: a port and a path. Returns where the next link may begin. */
  #readPath(end: number): number {
    // A dot at the end of the name of a host, before its path.
    const isWhole = this.hostEnd === end || (this.hostEnd + 1 === end && this.#classAt(this.hostEnd) === DOT);
    let at = isWhole ? this.#behindPort(end) : end;
    const hasPath = isWhole && this.#classAt(at) === SLASH;
    this.#setPath(hasPath || at > end ? at : this.hostEnd);
    if (!hasPath) return at;
    let open = 0;
    for (let kind = SLASH; kind !== END; kind = this.#classAt(++at)) {
      const unit = charCodeAt.call(this.#text, at);
      if (unit === OPEN) open++;
      else if (kind === OTHER && (unit !== CLOSE || open-- === 0)) break;
    }
    this.end = at;
    while (this.end > this.pathStart && sentenceEnd.includes(this.#text.charAt(this.end - 1))) this.end--;
    if (this.end === end) this.end = this.hostEnd;
    return at;
  }
}

function isOfRun(kind: number): boolean {
  return kind === LABEL || kind === SPACELESS || kind === DOT;
}

function isSlash(character: string): boolean {
  return character === '/' || character === '\\';
}
