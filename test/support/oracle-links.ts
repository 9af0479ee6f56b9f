/**
 * How the oracle reads links: it cuts a text into pieces with regular expressions, as often as it
 * likes, and leaves every host and every path to `URL`. `Word` stands for the units that a host
 * without a scheme has.
 */
import { topLevelDomains } from '../../src/engine/match/links/top-level-domains.js';

/**
 * A link in a text, with the host and the path that `URL` gives it; without a host that `URL` takes
 * none.
 */
interface OracleLink {
  readonly start: number;
  readonly end: number;
  readonly host: string | undefined;
  readonly hostEnd: number;
  readonly path: string;
  /** All hosts that it may lead to. */
  readonly hosts: readonly string[];
  /** The host as it is written, if neither a scheme nor a path says that it is one. */
  readonly bare?: string;
  /**
   * Where its authority begins, and where its reading ended; a host without a scheme and a path
   * ends for good.
   */
  readonly authority: number;
  readonly stop?: number;
}

const dots = '.。．｡';
const spaceless =
  '(?:(?![\\p{scx=Latin}ⓐ-ⓩⒶ-Ⓩ])(?![\\p{P}\\p{DI}\\u{1ccd6}-\\u{1ccf9}])[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Hang}\\p{So}]|\\ufe0f)';
/**
 * What is displayed, or ends a link, though it is ignorable: selectors of emoji, and marks of
 * direction.
 */
const seen = '[\\ufe00-\\ufe0f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]';
const compatible = Array.from({ length: 0xff80 }, (_, index) => String.fromCharCode(index + 0x80))
  .map((written) => ({ written, plain: written.normalize('NFKC') }))
  .filter(({ written, plain }) => written !== plain);
const writtenFor = (plain: RegExp) => compatible.flatMap((one) => (plain.test(one.plain) ? one.written : [])).join('');
/**
 * Signs that stand for letters and digits of a host, and all that are hyphens and underscores of
 * it.
 */
const alike = writtenFor(/^[a-z0-9]+$/i);
const joiners = `_\\-${writtenFor(/^[-_]$/)}`;
const joinersAtEnd = new RegExp(`[${joiners}]+$`);
const sign = `(?:[a-zA-Z0-9_%-]|(?![\\0-\\x7f])[\\p{L}\\p{N}\\p{M}\\p{So}\\p{Sk}]|(?!${seen})\\p{DI}|[${alike}${joiners}\\u{1ccd6}-\\u{1ccf9}])`;
const wordOf = (more: string) => new RegExp(`(?:${sign}|[${dots}${more}])+`, 'uy');
const word = wordOf('');
const schemeHost = wordOf('!$&*+=~');
const boundary = new RegExp(`(?<=${spaceless})(?=(?!${spaceless}|[${joiners}])${sign})`, 'u');
const behindLatin = new RegExp(`^((?!${spaceless})[\\s\\S]+?)(?=${spaceless})[\\s\\S]*$`, 'u');

const at = (regex: RegExp, text: string, index: number): string => {
  regex.lastIndex = index;
  return regex.exec(text)?.[0] ?? '';
};

function hostOf(written: string): string | undefined {
  try {
    const hostname = new URL(`http://${written}/`).hostname.replace(/\.+$/, '');
    return hostname === '' ? undefined : hostname;
  } catch {
    return undefined;
  }
}

/**
 * The hosts that a host may be read as: as it is, and as what is displayed of it, in compatibility
 * forms.
 */
function hostsOf(written: string): readonly string[] {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const plain = written.replace(/[\u{1ccd6}-\u{1ccf9}]/gu, (sign) => letters[sign.codePointAt(0)! - 0x1ccd6]!);
  const displayed = plain.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
  return [...new Set([hostOf(written), hostOf(displayed)])].filter((host) => host !== undefined);
}

function pathOf(written: string): string {
  const path = written === '' ? '' : new URL(`http://host${written}`).pathname.replace(/\/$/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The canonical form of a term; `undefined` for one that is not a domain. */
export function linkTerm(written: string): string | undefined {
  const term = written.trim();
  if (term === '*') return term;
  if (/[\s:@?#*,\\]/.test(term.replace(/^\[.*\]/, '')) || !/^[^/]/.test(term)) return undefined;
  const [name = '', path] = [/^[^/]*/.exec(term)?.[0], term.replace(/^[^/]*/, '')];
  const host = hostOf(name);
  if (host === undefined || host.startsWith('.') || host.includes('..')) return undefined;
  const isKnown = topLevelDomains().has(host) || ['localhost', 'onion', 'example', 'test'].includes(host);
  return /[.[]/.test(host) || isKnown ? host + pathOf(path) : undefined;
}

/** Every link of a text. `labels` are the last labels of hosts that some term has. */
function linksIn(text: string, labels: ReadonlySet<string>): OracleLink[] {
  return [...text.matchAll(/[^\s\p{Cc}<>"]+|\ufeff/gu)].flatMap(({ 0: token, index }) =>
    linksOfToken({ token, isOpenAt: (at) => isOpen(text.slice(0, index + at)) }, labels).map((link) => ({
      ...link,
      start: link.start + index,
      end: link.end + index,
      hostEnd: link.hostEnd + index,
      authority: link.authority + index,
      ...(link.stop !== undefined && { stop: link.stop + index }),
    })),
  );
}

/** Whether a parenthesis is open at the end of a text. */
function isOpen(text: string): boolean {
  let open = 0;
  for (const sign of text) open = Math.max(0, open + (sign === '(' ? 1 : sign === ')' ? -1 : 0));
  return open > 0;
}

/** A token, and whether a parenthesis is open in the text before an offset of it. */
interface Token {
  readonly token: string;
  readonly isOpenAt: (offset: number) => boolean;
}

function linksOfToken(read: Token, labels: ReadonlySet<string>): OracleLink[] {
  const { token } = read;
  if (!/[.。．｡:]/.test(token)) return [];
  const found: OracleLink[] = [];
  for (let from = 0; from < token.length; ) {
    const link = chainAt(read, from, labels);
    if (typeof link === 'object') found.push(link);
    from = Math.max(from + 1, typeof link === 'object' ? link.next : link);
  }
  return found;
}

interface Read extends OracleLink {
  /** Where the next link may begin. */
  readonly next: number;
}

/** Reads what begins at an offset: a link, or where to go on. */
function chainAt(read: Token, from: number, labels: ReadonlySet<string>): Read | number {
  const { token } = read;
  let best: Read | undefined;
  let next = from;
  for (let run = from; ; ) {
    const whole = at(word, token, run);
    const part = whole.split(boundary)[0] ?? '';
    const end = run + part.length;
    const scheme = /^:[/\\]/.test(token.slice(end)) ? schemeAtEnd(part) : undefined;
    if (scheme !== undefined && (token.startsWith('://', end) || /^(?:h(?:tt|xx)ps?|wss?|ftp)$/i.test(scheme)))
      return best === undefined ? behindScheme(read, end - scheme.length, labels) : { ...best, next: run };
    const host = bareHost(part, labels);
    if (host !== undefined) {
      const [start, hostEnd] = [run + host.start, run + host.end];
      const isWhole = hostEnd === end || (hostEnd + 1 === end && dots.includes(token[hostEnd]!));
      const first = run === from ? start : from;
      const rest = isWhole ? restAt(read, end, first) : { path: '', length: 0, skipped: 0, written: '' };
      const name = token.slice(start, hostEnd);
      best = {
        start: first,
        authority: first,
        end: rest.length > 0 ? end + rest.length : hostEnd,
        host: hostOf(name),
        hosts: hostsOf(name),
        ...(rest.written === '' ? {} : { stop: end + rest.skipped }),
        ...(/^(?!www[.。．｡])/i.test(name) && rest.kept === undefined && { bare: name }),
        hostEnd,
        path: rest.path,
        next: end + rest.skipped,
      };
    }
    next = Math.max(next, end);
    const behind = /^(?::\d*)?@/.exec(token.slice(end))?.[0];
    if (part === '' || behind === undefined) return best ?? next;
    run = end + behind.length;
  }
}

/** The scheme that a run ends with. */
function schemeAtEnd(run: string): string | undefined {
  const [written = ''] = /[a-z0-9+.-]*$/i.exec(run) ?? [];
  const scheme = written
    .split(/\.(?=\.)/)
    .at(-1)!
    .replace(/^[^a-z]*/i, '');
  return /(?:^|\.)(h(?:tt|xx)ps?|wss?|ftp)$/i.exec(scheme)?.[1] ?? (scheme === '' ? undefined : scheme);
}

function behindScheme(read: Token, start: number, labels: ReadonlySet<string>): Read | number {
  const { token } = read;
  const [before = ''] = /^[^:]*:/.exec(token.slice(start)) ?? [];
  const isBrowsers = /^(?:h(?:tt|xx)ps?|wss?|ftp):$/i.test(before);
  const slashes = isBrowsers ? at(/[/\\]*/y, token, start + before.length) : '//';
  const authority = start + before.length + slashes.length;
  const stretch = balanced(token.slice(authority).split(/[/\\?#]/)[0]!, read.isOpenAt(authority));
  const from = authority + stretch.lastIndexOf('@') + 1;
  const host = at(/\[[\da-f:.]*\]/iy, token, from) || at(schemeHost, token, from);
  const rest = restAt(read, from + host.length, start);
  const kept = rest.skipped > 0 || token[from] === '[' ? host : withoutSentence(host, labels);
  if (kept === '') return authority;
  const end = from + kept.length;
  const [unsigned = ''] = schemeStretch.exec(token.slice(from, authority + stretch.length)) ?? [];
  const stop = rest.written === '' ? from + unsigned.length : end + rest.skipped;
  const link = {
    start,
    end: end + rest.length,
    host: hostOf(kept),
    hosts: hostsOf(kept),
    hostEnd: end,
    path: rest.path,
  };
  return { ...link, authority, stop, next: end + rest.skipped };
}

/** What stands before the first parenthesis that closes one before the text. */
function balanced(text: string, isOpenBefore: boolean): string {
  if (!isOpenBefore) return text;
  let open = 0;
  const end = [...text].findIndex((sign) => {
    open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    return open < 0;
  });
  return end < 0 ? text : [...text].slice(0, end).join('');
}

/** A port and a path: how long they are, with and without the punctuation at their end. */
function restAt({ token, isOpenAt }: Token, end: number, start: number) {
  const port = /^:(?:\d+|(?=[/\\?#]))/.exec(token.slice(end))?.[0] ?? '';
  const all = new RegExp(`^[/\\\\?#](?:${sign}|[${dots}/\\\\?#!$&*+=~:@()[\\]{}|^·—])*`, 'u').exec(
    token.slice(end + port.length),
  );
  const path = balanced(all?.[0] ?? '', isOpenAt(start));
  const kept = withoutPunctuation(path);
  const written = kept.split(/[?#]/)[0]!;
  const [length, skipped] = [port.length + kept.length, port.length + path.length];
  return { path: pathOf(written), length, skipped, written: path, ...(length > 0 && { kept }) };
}

/** A path without the punctuation at its end, and without brackets that it does not open. */
function withoutPunctuation(path: string): string {
  const unopened = [path.includes('[') ? '' : '\\]', path.includes('{') ? '' : '}'].join('');
  return path.replace(new RegExp(`[.。．｡,:;!?*_~|^·—${unopened}]+$`), '');
}

/** What the stretch of a host behind a scheme has before its first sign. */
const schemeStretch = new RegExp(`^(?:${sign}|[${dots}!$&*+=~])*`, 'u');

function withoutSentence(written: string, labels: ReadonlySet<string>): string {
  const host = written.replace(new RegExp(`[.。．｡!$&*+=~${joiners}]+$`), '');
  const [, last] = new RegExp(`[${dots}]((?!${spaceless})[^${dots}]*)$`, 'u').exec(`.${host}`) ?? [];
  const cut = last === undefined ? undefined : behindLatin.exec(last)?.[1];
  if (last !== undefined && cut !== undefined)
    return host.slice(0, host.length - last.length + cut.length).replace(joinersAtEnd, '');
  const sentence = new RegExp(`^([\\s\\S]+)[。．｡](${spaceless}[^${dots}]*)$`, 'u').exec(host);
  if (sentence === null || isKnown(sentence[2]!, labels)) return host;
  return withoutSentence(sentence[1]!, labels);
}

/** Whether a last label is a top-level domain, or one of `labels`. */
function isKnown(label: string, labels: ReadonlySet<string>): boolean {
  const hosts = /^[\w-]+$/.test(label) ? [label.toLowerCase()] : hostsOf(label);
  return hosts.some((host) => {
    const isAddress = labels.has('address') && /^(?:[\d.]+|0x[\da-f]*)$/.test(host);
    return isAddress || topLevelDomains().has(host) || labels.has(host);
  });
}

/** A host without a scheme in a run, up to the last label that is known, or else behind `www.`. */
function bareHost(run: string, labels: ReadonlySet<string>) {
  const isWww = (start: number) => /^www[.。．｡](?![.。．｡]|$)/i.test(run.slice(start));
  const places = [...run.matchAll(/[.。．｡]/g)].map(({ index }) => index);
  const ends = places.map((dot, place) => {
    const written = run.slice(dot + 1, places[place + 1] ?? run.length);
    return dot + 1 + (behindLatin.exec(written)?.[1] ?? written).replace(joinersAtEnd, '').length;
  });
  const behindSigns = (from: number) => from + new RegExp(`^[.。．｡${joiners}]*`).exec(run.slice(from))![0].length;
  for (const [place, dot] of [...places.entries()].reverse()) {
    const label = run.slice(dot + 1, ends[place]);
    if (label === '' || dot === 0 || /[.。．｡]$/.test(run.slice(0, dot)) || !isKnown(label, labels)) continue;
    const gap = /^.*[.。．｡]{2}/s.exec(run.slice(0, dot))?.[0].length ?? 0;
    const start = behindSigns(gap);
    if (start >= dot) break;
    return { start, end: ends[place]! };
  }
  const start = behindSigns(0);
  const end = ends.at(-1) ?? 0;
  return isWww(start) && end > start + 4 ? { start, end } : undefined;
}

const none: ReadonlySet<string> = new Set();

/**
 * The places where a link of a text matches a term in its canonical form. `labels` are last labels
 * of terms that are no top-level domains; `address` stands for those of addresses.
 */
export function linkPlaces(
  term: string,
  text: string,
  labels = labelsOf([term]),
  isExcepting = false,
): (readonly [number, number])[] {
  return placesIn(term, text, { labels, isExcepting }, /%2e/gi);
}

/**
 * The last labels of terms that are no top-level domains, and whether the term is an exception,
 * which matches only as every reading.
 */
interface LinkReadings {
  readonly labels: ReadonlySet<string>;
  readonly isExcepting: boolean;
}

function matchesIn(term: string, text: string, { labels, isExcepting }: LinkReadings): (readonly [number, number])[] {
  const [domain = '', path] = [/^[^/]*/.exec(term)?.[0], term.replace(/^[^/]*/, '')];
  const any = linksIn(text, none);
  const listed = linksIn(text, labels).filter(({ hostEnd }) => !any.some((link) => link.hostEnd === hostEnd));
  const matches = (host: string, of: string) => `.${host}`.endsWith(`.${domain}`) && `${of}/`.startsWith(`${path}/`);
  return [...any, ...listed].flatMap((link, index): (readonly [number, number])[] => {
    if (term === '*') return index < any.length && !isForgottenBlank(link) ? [[link.start, link.end]] : [];
    const wide = wideOf(text, link);
    const isListed = link.hosts.some((host) => matches(host, link.path));
    if (isExcepting) {
      const isBoth = [link, ...(wide ? [wide] : [])].every(({ hosts, path: of }) =>
        hosts.every((host) => matches(host, of)),
      );
      return isListed && isBoth ? [[link.start, link.end]] : [];
    }
    if (isListed) return [[link.start, link.end]];
    return wide?.hosts.some((host) => matches(host, wide.path)) === true ? [[link.start, wide.end]] : [];
  });
}

/** Whether a bare host is two sentences without a blank between them. */
function isForgottenBlank({ bare }: OracleLink): boolean {
  const [before = '', last = ''] = bare?.split(/[.。．｡]/).slice(-2) ?? [];
  if (bare === undefined || last === last.toLowerCase()) return false;
  const caseOf = (label: string) => {
    if (label === label.toLowerCase()) return 'small';
    if (label === label.toUpperCase() && label.length > 1) return 'capital';
    return label.slice(0, 1) !== label.slice(0, 1).toLowerCase() && label.slice(1) === label.slice(1).toLowerCase();
  };
  return caseOf(last) !== caseOf(before) || caseOf(last) === false;
}

/** A link that goes on behind the sign at which it ended, up to white space, `<` or `>`. */
function wideOf(text: string, { stop, authority }: OracleLink) {
  if (stop === undefined || new RegExp(`^(?:$|[\\s\\p{Cc}<>]|${sign})`, 'u').test(text.slice(stop))) return undefined;
  const [all = ''] = /^[^\s\p{Cc}<>]*/u.exec(text.slice(stop)) ?? [];
  const tail = new RegExp(`^[\\s\\S]*(?:(?![${joiners}])${sign}|[/\\\\?#])`, 'u').exec(all)?.[0] ?? '';
  if (!new RegExp(`(?![${joiners}])${sign}`, 'u').test(tail)) return undefined;
  const written = text.slice(authority, stop + tail.length);
  const [whole = ''] = /^[^/\\?#]*/.exec(written) ?? [];
  if (stop <= authority + whole.length && !/[.@]/.test(whole.slice(stop - authority))) return undefined;
  const host = whole.slice(whole.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  const [path = ''] = /^[^?#]*/.exec(written.slice(whole.length)) ?? [];
  return { hosts: hostsOf(host), path: pathOf(path), end: stop + tail.length };
}

/** The last labels of terms that are no top-level domains. */
export function labelsOf(terms: readonly string[]): ReadonlySet<string> {
  const labels = terms.map((term) => /[^.]*$/.exec(/^[^/]*/.exec(term)![0])![0]);
  const others = labels.filter((label) => !topLevelDomains().has(label));
  return new Set([...others, ...(others.some((label) => /^\d+$/.test(label)) ? ['address'] : [])]);
}

const defanged = /%2e|\s?[[({]\s?([.:]|dot)\s?[\])}]\s?|(?<=[\p{L}\p{N}])\s{1,2}dot\s{1,2}(?=[\p{L}\p{N}])/giu;

/** The places in a text whose links are not to be followed. */
export function defangedPlaces(
  term: string,
  text: string,
  labels = labelsOf([term]),
  isExcepting = false,
): (readonly [number, number])[] {
  return placesIn(term, text, { labels, isExcepting }, defanged);
}

/**
 * The places in a text in which some signs stand for dots and colons: it is read unit by unit, each
 * with the place where it was written.
 */
function placesIn(term: string, text: string, readings: LinkReadings, signs: RegExp): (readonly [number, number])[] {
  const starts: number[] = [];
  let read = '';
  let from = 0;
  const add = (written: string, start: number, length: number) => {
    for (let unit = 0; unit < written.length; unit++) starts.push(start + Math.min(unit, length));
    read += written;
  };
  for (const { 0: whole, 1: sign, index } of text.matchAll(signs)) {
    add(text.slice(from, index), from, index - from);
    add(sign === ':' ? ':' : '.', index, whole.length);
    from = index + whole.length;
  }
  add(text.slice(from), from, text.length - from);
  starts.push(text.length);
  return matchesIn(term, read, readings).map(([start, end]) => [starts[start]!, starts[end]!] as const);
}
