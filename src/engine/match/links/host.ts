/** Hosts and paths as browsers read them, and domains as terms of the reading `links`. */
import { Label, LinkReader } from './link-reader.js';
import { topLevelDomains } from './top-level-domains.js';

/** The term that stands for any link. */
export const ANY_LINK = '*';

/**
 * A host has 253 characters at most. One that is written with more than these is not read: punycode
 * takes quadratic time.
 */
const LONGEST = 300;
/** Hosts that a browser takes as they are, except for their case. */
const plainHost = /^[\w.!$&*+=~-]*$/;
/** Characters without which a browser reads a host. */
const ignored = /[\u00ad\u200b\u2060\ufeff]|[\ufe00-\ufe0f]/g;

/**
 * Returns a host as browsers write it: in lower case and punycode, an address as four numbers;
 * `undefined` for one that they refuse.
 */
function canonicalHost(written: string): string | undefined {
  const short = written.length > LONGEST ? shortened(written) : written;
  if (short === undefined || short.length > LONGEST) return undefined;
  let end = short.length;
  while (end > 0 && short.charAt(end - 1) === '.') end--;
  const first = short.charCodeAt(short.lastIndexOf('.', end - 1) + 1);
  // A last label that begins with a digit is that of an address; punycode may be wrong.
  if (plainHost.test(short) && !(first >= 0x30 && first <= 0x39) && !/xn--/i.test(short))
    return end === 0 ? undefined : short.slice(0, end).toLowerCase();
  try {
    return new URL(`http://${short}/`).hostname.replace(/\.+$/, '') || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Capital letters and digits that are outlined, of Unicode 16: younger than the tables of some
 * JavaScript engines.
 */
const outlined = /[\u{1ccd6}-\u{1ccf9}]/gu;
const plainOf = (character: string) => {
  const number = character.codePointAt(0)! - 0x1ccd6;
  return String.fromCharCode(number < 26 ? 0x61 + number : 0x30 + number - 26);
};

/**
 * Returns the hosts that browsers may take a written host for: as Node.js reads it, and without
 * what is not displayed, in compatibility forms, as others do. None for one that both refuse.
 */
export function canonicalHosts(written: string): readonly string[] {
  const first = canonicalHost(written);
  if (/^[\0-\x7f]*$/.test(written)) return first === undefined ? [] : [first];
  const plain = written
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(outlined, plainOf)
    .normalize('NFKC');
  const second = plain === written ? undefined : canonicalHost(plain);
  if (first === undefined) return second === undefined ? [] : [second];
  return second === undefined || second === first ? [first] : [first, second];
}

/**
 * Returns a host without percent escapes and ignored characters; `undefined` when a browser refuses
 * what is left.
 */
function shortened(written: string): string | undefined {
  try {
    const host = decodeURIComponent(written).replace(ignored, '');
    return /[\s/\\?#@:%<>[\]]/.test(host) ? undefined : host;
  } catch {
    return undefined;
  }
}

/**
 * Returns the path of what follows a host, without escapes that are not needed, `.` and `..`, and a
 * slash at its end.
 */
export function canonicalPath(written: string): string {
  const [path = ''] = /^[^?#]*/.exec(written) ?? [];
  let plain = path;
  if (/[^\w/-]/.test(path)) {
    plain = new URL(`http://host${path}`).pathname;
    try {
      plain = decodeURIComponent(plain);
    } catch {
      // A path of other bytes than those of UTF-8 stays as it is.
    }
  }
  return plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/** Names of one label that are not top-level domains, and that hosts have all the same. */
const otherNames = /^(?:internal|invalid|lan|local|localhost|onion|example|test)$/;
const reader = new LinkReader(() => Label.UNKNOWN, Label.TOP_LEVEL);

/**
 * Returns a term of the reading `links` in its canonical form: `*`, or a domain and perhaps a path;
 * `undefined` for anything else.
 */
export function readLinkTerm(written: string): string | undefined {
  const term = written.trim();
  if (term === ANY_LINK) return term;
  const [, name = '', path = ''] = /^([^/\\?#@:[\]]+|\[[\da-f:.]+\])((?:\/[^?#\\]*)?)$/i.exec(term) ?? [];
  const host = canonicalHost(name);
  if (host === undefined || !/^(?:[\w-]+(?:\.[\w-]+)*|\[.*\])$/.test(host)) return undefined;
  if (!/[.[]/.test(host) && !topLevelDomains().has(host) && !otherNames.test(host)) return undefined;
  const address = `http://${host}${path}`;
  // A path of which a link has a part only would never be found.
  reader.begin(address);
  if (!reader.next() || reader.end !== address.length) return undefined;
  return host + canonicalPath(path);
}

/**
 * Returns what is wrong with a term of the reading `links` that is not a domain, with the domain
 * that was probably meant.
 */
export function whyNotDomain(written: string): string {
  const probable = written
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:[\\/]+/i, '')
    .replace(/^[^/]*@/, '')
    .replace(/^\*?\.+/, '')
    .replace(/[?#].*$/s, '')
    .replace(/:\d+(?=\/|$)/, '');
  const fix = readLinkTerm(probable) === undefined ? '' : `; write \`${probable}\``;
  return `is not a domain, with or without a path, nor \`${ANY_LINK}\`${fix}`;
}
