/**
 * Where words begin and end. A word character is a letter, number, mark or `_`. Scripts written without spaces have no
 * edges that could be seen, so each of their characters is an edge on either side. Script extensions are what counts:
 * the prolonged sound mark `ー` is Kana to its readers, though its own script is Common. Characters that Latin has too are
 * left out: newer data lends the tilde of a decomposed `ñ` to Thai and the dot below of `ạ` to Kana.
 */
const wordCharacter = /^[\p{L}\p{N}\p{M}_]$/u;
const spaceless =
  /^(?!\p{scx=Latin})[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u;

const UNKNOWN = 0;
const BREAKS = 1;
const JOINS = 2;

/** Whether a UTF-16 unit joins words, asked of the regular expressions once and then remembered: 64 KB in all. */
const known = new Uint8Array(0x10000);

/** Whether a character joins with a joining neighbour to one word. `unit` is a code point of the basic plane. */
function unitJoins(unit: number): boolean {
  const answer = known[unit]!;
  if (answer !== UNKNOWN) return answer === JOINS;
  const joins = joinsWords(String.fromCharCode(unit));
  known[unit] = joins ? JOINS : BREAKS;
  return joins;
}

function joinsWords(character: string): boolean {
  return wordCharacter.test(character) && !spaceless.test(character);
}

/** Whether the character that starts at `at` joins; a lone surrogate does not. */
function joinsAfter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit & 0xfc00) !== 0xd800 || at + 1 >= text.length) return unitJoins(unit);
  const next = text.charCodeAt(at + 1);
  return (next & 0xfc00) === 0xdc00 ? joinsWords(text.slice(at, at + 2)) : unitJoins(unit);
}

/** Whether the character that ends at `at` joins. */
function joinsBefore(text: string, at: number): boolean {
  const unit = text.charCodeAt(at - 1);
  if ((unit & 0xfc00) !== 0xdc00 || at < 2) return unitJoins(unit);
  const previous = text.charCodeAt(at - 2);
  return (previous & 0xfc00) === 0xd800 ? joinsWords(text.slice(at - 2, at)) : unitJoins(unit);
}

/**
 * Whether a word may begin or end at offset `at`: not between two characters that join. An end of a term that is no
 * word character needs no edge, which is the same question, since such a character joins with nothing.
 */
export function isWordEdge(text: string, at: number): boolean {
  return at <= 0 || at >= text.length || !joinsBefore(text, at) || !joinsAfter(text, at);
}
