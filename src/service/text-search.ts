import { flag } from './message-flags.js';
import type { MessageTable } from './message-table.js';

/**
 * Finds the messages whose text contains a key (`searchKey`, §4.2), in any case, literally. A line without a backslash spells
 * its text as it reads, so only lines that hold the key somewhere are parsed: a search that finds nothing takes 0.3 µs a
 * message, and 2.5 when all are parsed. To note where each text stands in its line takes a quarter off that, where searches find
 * little, and adds as much to loading.
 */
export function textSearch(key: string, { has, lineAt, read }: MessageTable): (position: number) => boolean {
  const contains = containing(key);
  const isBeyondAscii = beyondAscii.test(key);
  const mayHold = (position: number): boolean => {
    if (has(position, flag.escaped)) return true;
    if (isBeyondAscii && has(position, flag.ascii)) return false;
    return contains(lineAt(position));
  };
  return (position) => {
    if (!mayHold(position)) return false;
    const { data } = read(position);
    return data?.text !== undefined && contains(data.text);
  };
}

/** A letter that no ASCII letter is another case of, as ſ is of s and the Kelvin sign of k. */
const beyondAscii = /[^\p{ASCII}\u017f\u212a]/u;

/** V8 runs out of stack over patterns of some ten thousand characters, and a header may hold more. */
const longest = 1_000;

/**
 * Case-insensitive, literal. By the pattern flags and not by lower-casing, which makes a final Σ another letter than one
 * inside a word, and copies every text that it looks at. A long key is one pattern behind the other.
 */
function containing(key: string): (text: string) => boolean {
  const characters = [...key];
  if (characters.length <= longest) {
    const pattern = literal(key, 'iu');
    return (text) => pattern.test(text);
  }
  const parts: RegExp[] = [];
  for (let at = 0; at < characters.length; at += longest) {
    parts.push(literal(characters.slice(at, at + longest).join(''), at === 0 ? 'giu' : 'yiu'));
  }
  return (text) => {
    for (let from = 0; ; ) {
      let end = from;
      let begin = -1;
      const isFound = parts.every((part, number) => {
        part.lastIndex = end;
        const found = part.exec(text);
        if (number === 0) begin = found?.index ?? -1;
        end = part.lastIndex;
        return found !== null;
      });
      if (isFound || begin === -1) return isFound;
      from = begin + (text.codePointAt(begin)! > 0xffff ? 2 : 1);
    }
  };
}

function literal(key: string, flags: string): RegExp {
  return new RegExp(key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), flags);
}
