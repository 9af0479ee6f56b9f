/** Translates escapes of JavaScript and Python into those of RE2. */
import { joinHalves } from './join-halves.js';

/**
 * Rewrites escapes of JavaScript and Python that RE2 spells differently: `\uXXXX` (surrogate pairs
 * and classes of them become characters), `\u{…}`, `\UXXXXXXXX`, `\cX`, `(?<name>`. `\Q…\E` is
 * expanded into escapes, so that a pattern can be put inside a group whatever it ends with.
 * Everything else is left to be accepted or rejected by the engine; both engines get the same text.
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
  const pair = /^\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(rest);
  if (pair)
    return { text: hex(String.fromCharCode(Number.parseInt(pair[1]!, 16), Number.parseInt(pair[2]!, 16))), length: 12 };
  const unit = /^\\u([\da-fA-F]{4})/.exec(rest) ?? /^\\U([\da-fA-F]{8})/.exec(rest);
  if (unit) return { text: `\\x{${unit[1]}}`, length: unit[0].length };
  const point = /^\\u\{([\da-fA-F]{1,8})\}/.exec(rest);
  if (point) return { text: `\\x{${point[1]}}`, length: point[0].length };
  const control = /^\\c([a-zA-Z])/.exec(rest);
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
