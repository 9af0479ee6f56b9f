/**
 * How the oracle reads links: it cuts a text into pieces with regular expressions, as often as it likes, and leaves every host and every path to
 * `URL`. `Word` stands for the units that a host without a scheme has.
 */
import { topLevelDomains } from '../../src/engine/match/links/top-level-domains.js';

/** A link in a text, with the host and the path that `URL` gives it; without a host that `URL` takes none. */
export interface OracleLink {
  readonly start: number;
  readonly end: number;
  readonly host: string | undefined;
  readonly hostEnd: number;
  readonly path: string;
}

const dots = '.。．｡';
const spaceless =
  '(?:(?![\\p{scx=Latin}ⓐ-ⓩⒶ-Ⓩ])(?!\\p{P})[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Hang}\\p{So}]|\\ufe0f)';
const sign = `(?:[a-zA-Z0-9_%-]|(?![\\0-\\x7f])[\\p{L}\\p{N}\\p{M}\\p{So}\\p{Sk}]|[\\u00ad\\u200b-\\u200d\\u2060\\ufeff])`;
const wordOf = (more: string) => new RegExp(`(?:${sign}|[${dots}${more}])+`, 'uy');
const word = wordOf('');
const schemeHost = wordOf('!$&*+=~');
const boundary = new RegExp(`(?<=${spaceless})(?=(?!${spaceless}|[_-])${sign})`, 'u');
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

export function pathOf(written: string): string {
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
export function linksIn(text: string, labels: ReadonlySet<string>): OracleLink[] {
  return [...text.matchAll(/[^\s\p{Cc}<>"]+|\ufeff/gu)].flatMap(({ 0: token, index }) =>
    linksOfToken(token, labels).map((link) => ({
      ...link,
      start: link.start + index,
      end: link.end + index,
      hostEnd: link.hostEnd + index,
    })),
  );
}

function linksOfToken(token: string, labels: ReadonlySet<string>): OracleLink[] {
  if (!/[.。．｡:]/.test(token)) return [];
  const found: OracleLink[] = [];
  for (let from = 0; from < token.length; ) {
    const read = chainAt(token, from, labels);
    if (typeof read === 'object') found.push(read);
    from = Math.max(from + 1, typeof read === 'object' ? read.next : read);
  }
  return found;
}

interface Read extends OracleLink {
  /** Where the next link may begin. */
  readonly next: number;
}

/** Reads what begins at an offset: a link, or where to go on. */
function chainAt(token: string, from: number, labels: ReadonlySet<string>): Read | number {
  let best: Read | undefined;
  let next = from;
  for (let run = from; ; ) {
    const whole = at(word, token, run);
    const part = whole.split(boundary)[0] ?? '';
    const end = run + part.length;
    const scheme = /^:[/\\]/.test(token.slice(end)) ? /[a-z][a-z0-9+.-]*$/i.exec(part)?.[0] : undefined;
    if (scheme !== undefined && (token.startsWith('://', end) || /^(?:h(?:tt|xx)ps?|wss?|ftp)$/i.test(scheme)))
      return best === undefined ? behindScheme(token, end - scheme.length, labels) : { ...best, next: run };
    const host = bareHost(part, labels);
    if (host !== undefined) {
      const [start, hostEnd] = [run + host.start, run + host.end];
      const isWhole = hostEnd === end || (hostEnd + 1 === end && dots.includes(token[hostEnd]!));
      const rest = isWhole ? restAt(token, end) : { path: '', length: 0, skipped: 0 };
      best = {
        start: run === from ? start : from,
        end: rest.length > 0 ? end + rest.length : hostEnd,
        host: hostOf(token.slice(start, hostEnd)),
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

function behindScheme(token: string, start: number, labels: ReadonlySet<string>): Read | number {
  const [before = ''] = /^[^:]*:/.exec(token.slice(start)) ?? [];
  const isBrowsers = /^(?:h(?:tt|xx)ps?|wss?|ftp):$/i.test(before);
  const slashes = isBrowsers ? at(/[/\\]*/y, token, start + before.length) : '//';
  const authority = start + before.length + slashes.length;
  const stretch = balanced(token.slice(authority).split(/[/\\?#]/)[0]!);
  const from = authority + stretch.lastIndexOf('@') + 1;
  const host = at(/\[[\da-f:.]*\]/iy, token, from) || at(schemeHost, token, from);
  const rest = restAt(token, from + host.length);
  const kept = rest.skipped > 0 || token[from] === '[' ? host : withoutSentence(host, labels);
  if (kept === '') return authority;
  const end = from + kept.length;
  return { start, end: end + rest.length, host: hostOf(kept), hostEnd: end, path: rest.path, next: end + rest.skipped };
}

/** What stands before the first parenthesis that was not opened. */
function balanced(text: string): string {
  let open = 0;
  const end = [...text].findIndex((sign) => {
    open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    return open < 0;
  });
  return end < 0 ? text : [...text].slice(0, end).join('');
}

/** A port and a path: how long they are, with and without the punctuation at their end. */
function restAt(token: string, end: number): { path: string; length: number; skipped: number } {
  const port = /^:(?:\d+|(?=[/\\?#]))/.exec(token.slice(end))?.[0] ?? '';
  const all = new RegExp(`^[/\\\\?#](?:${sign}|[${dots}/\\\\?#!$&*+=~:@()])*`, 'u').exec(
    token.slice(end + port.length),
  );
  const path = balanced(all?.[0] ?? '');
  const kept = path.replace(/[.。．｡,:;!?*_~]+$/, '');
  const written = kept.split(/[?#]/)[0]!;
  return { path: pathOf(written), length: port.length + kept.length, skipped: port.length + path.length };
}

function withoutSentence(written: string, labels: ReadonlySet<string>): string {
  const host = written.replace(/[.。．｡!$&*+=~_-]+$/, '');
  const [, last] = new RegExp(`[${dots}]((?!${spaceless})[^${dots}]*)$`, 'u').exec(`.${host}`) ?? [];
  const cut = last === undefined ? undefined : behindLatin.exec(last)?.[1];
  if (last !== undefined && cut !== undefined)
    return host.slice(0, host.length - last.length + cut.length).replace(/[_-]+$/, '');
  const sentence = new RegExp(`^([\\s\\S]+)[。．｡](${spaceless}[^${dots}]*)$`, 'u').exec(host);
  if (sentence === null || isKnown(sentence[2]!, labels)) return host;
  return withoutSentence(sentence[1]!, labels);
}

/** Whether a last label is a top-level domain, or one of `labels`. */
function isKnown(label: string, labels: ReadonlySet<string>): boolean {
  const host = /^[\w-]+$/.test(label) ? label.toLowerCase() : (hostOf(label) ?? '');
  const isAddress = labels.has('address') && /^(?:[\d.]+|0x[\da-f]*)$/.test(host);
  return isAddress || topLevelDomains().has(host) || labels.has(host);
}

/** A host without a scheme in a run, up to the last label that is known, or else behind `www.`. */
function bareHost(run: string, labels: ReadonlySet<string>) {
  const isWww = (start: number) => /^www[.。．｡](?![.。．｡]|$)/i.test(run.slice(start));
  const places = [...run.matchAll(/[.。．｡]/g)].map(({ index }) => index);
  const ends = places.map((dot, place) => {
    const written = run.slice(dot + 1, places[place + 1] ?? run.length);
    return dot + 1 + (behindLatin.exec(written)?.[1] ?? written).replace(/[_-]+$/, '').length;
  });
  const behindSigns = (from: number) => from + /^[.。．｡_-]*/.exec(run.slice(from))![0].length;
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
 * The places where a link of a text matches a term in its canonical form. `labels` are last labels of terms that are no top-level domains; `address`
 * stands for those of addresses.
 */
export function linkPlaces(term: string, text: string, labels = labelsOf([term])): (readonly [number, number])[] {
  const [domain = '', path] = [/^[^/]*/.exec(term)?.[0], term.replace(/^[^/]*/, '')];
  const any = linksIn(text, none);
  const listed = linksIn(text, labels).filter(({ hostEnd }) => !any.some((link) => link.hostEnd === hostEnd));
  const matching = [...any, ...listed].filter((link, index) => {
    if (term === '*') return index < any.length;
    return `.${link.host}`.endsWith(`.${domain}`) && link.host !== undefined && `${link.path}/`.startsWith(`${path}/`);
  });
  return matching.map(({ start, end }) => [start, end] as const);
}

/** The last labels of terms that are no top-level domains. */
export function labelsOf(terms: readonly string[]): ReadonlySet<string> {
  const labels = terms.map((term) => /[^.]*$/.exec(/^[^/]*/.exec(term)![0])![0]);
  const others = labels.filter((label) => !topLevelDomains().has(label));
  return new Set([...others, ...(others.some((label) => /^\d+$/.test(label)) ? ['address'] : [])]);
}

const defanged = /\s?[[({]\s?([.:]|dot)\s?[\])}]\s?|(?<=[\p{L}\p{N}])\s{1,2}dot\s{1,2}(?=[\p{L}\p{N}])/giu;

/** The places in a text whose links are not to be followed: it is read unit by unit, each with the place where it was written. */
export function defangedPlaces(term: string, text: string, labels = labelsOf([term])): (readonly [number, number])[] {
  const starts: number[] = [];
  let read = '';
  let from = 0;
  const add = (written: string, start: number, length: number) => {
    for (let unit = 0; unit < written.length; unit++) starts.push(start + Math.min(unit, length));
    read += written;
  };
  for (const { 0: whole, 1: sign, index } of text.matchAll(defanged)) {
    add(text.slice(from, index), from, index - from);
    add(sign === ':' ? ':' : '.', index, whole.length);
    from = index + whole.length;
  }
  add(text.slice(from), from, text.length - from);
  starts.push(text.length);
  const places = linkPlaces(term, read, labels);
  return places.map(([start, end]) => [starts[start]!, starts[end]!] as const);
}
