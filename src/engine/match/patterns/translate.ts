import { joinHalves } from './join-halves.js';

/**
 * Rewrites syntax of JavaScript that RE2 spells differently: `\uXXXX` (surrogate pairs and classes of them become characters),
 * `\u{…}`, `\cX`, `(?<name>`. `\Q…\E` is expanded into escapes, so that a pattern can be put inside a group whatever it ends
 * with. Everything else is left to be accepted or rejected by the engine; both engines get the same text.
 */
export function translatePattern(pattern: string): string {
  let written = '';
  let inClass = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + 12);
    const joined = inClass ? undefined : joinHalves(pattern, at);
    const escaped = joined ?? (rest.startsWith('\\') ? translateEscape(pattern, at, rest, inClass) : undefined);
    if (escaped !== undefined) {
      written += escaped.text;
      at += escaped.length;
      continue;
    }
    if (!inClass && /^\(\?<[^=!]/.test(rest)) {
      written += '(?P<';
      at += 3;
      continue;
    }
    const opening = inClass ? undefined : /^\[\^?\]?/.exec(rest)?.[0];
    if (opening !== undefined) inClass = true;
    const posix = inClass && opening === undefined ? /^\[:\^?\w+:\]/.exec(pattern.slice(at, at + 16))?.[0] : undefined;
    const taken = opening ?? posix ?? rest.charAt(0);
    if (taken === ']') inClass = false;
    written += taken;
    at += taken.length;
  }
  return written;
}

interface Taken {
  readonly text: string;
  /** Number of UTF-16 units of the pattern that were read. */
  readonly length: number;
}

function translateEscape(pattern: string, at: number, rest: string, inClass: boolean): Taken {
  const pair = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(rest);
  if (pair)
    return { text: hex(String.fromCharCode(Number.parseInt(pair[1]!, 16), Number.parseInt(pair[2]!, 16))), length: 12 };
  const unit = /^\\u([0-9a-f]{4})/i.exec(rest);
  if (unit) return { text: `\\x{${unit[1]}}`, length: 6 };
  const point = /^\\u\{([0-9a-f]{1,8})\}/i.exec(rest);
  if (point) return { text: `\\x{${point[1]}}`, length: point[0].length };
  const control = /^\\c([a-z])/i.exec(rest);
  if (control) return { text: `\\x{${(control[1]!.charCodeAt(0) & 31).toString(16)}}`, length: 3 };
  if (rest.startsWith('\\Q') && !inClass) return quoted(pattern, at);
  return { text: rest.slice(0, 2), length: Math.min(2, rest.length) };
}

const hex = (character: string) => `\\x{${character.codePointAt(0)!.toString(16)}}`;

function quoted(pattern: string, at: number): Taken {
  const end = pattern.indexOf('\\E', at + 2);
  const literal = pattern.slice(at + 2, end < 0 ? pattern.length : end);
  return { text: literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), length: literal.length + (end < 0 ? 2 : 4) };
}
