/**
 * Texts without what separates the letters of scripts that are written without spaces, by a list of
 * all letters, words' characters and runs.
 */
import type { Place } from './oracle-formatting.js';

const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const spaceless = `(?!\\p{scx=Latin})(?=[\\p{L}\\p{N}\\p{M}])[${scripts.map((one) => `\\p{scx=${one}}`).join('')}]`;
const token = new RegExp(
  `(?<letter>${spaceless}(?:(?=\\p{M})${spaceless})*)|(?<syllable>[가-힣])|(?<word>[\\p{L}\\p{N}\\p{M}])|(.)\\4*`,
  'gsu',
);
const isRare = /^[*_|+^=\\＊＿｜＋＾＝＼]/u;
const isSign = /^[.!?\-/~#@&%$'"·•‧∙・．！？－／～＃＠＆％＄\p{Extended_Pictographic}]/u;

/** The stretches of a text that only separate its letters. */
export function separatorsIn(text: string): { start: number; end: number }[] {
  const tokens = [...text.matchAll(token)];
  const isOf = (at: number, ...kinds: string[]) => kinds.some((kind) => tokens[at]?.groups?.[kind] !== undefined);
  return tokens.flatMap(({ 0: by, index }, at) => {
    const separator = [{ start: index, end: index + by.length }];
    if (isOf(at, 'letter', 'syllable', 'word') || [...by].length > 3) return [];
    const isBetween = (kind: string) => isOf(at - 1, kind) && isOf(at + 1, kind);
    const standAlone = ![at - 2, at + 2].some((beside) => isOf(beside, 'letter', 'syllable', 'word'));
    const isUsual = !isRare.test(by) && !isSign.test(by);
    if (isBetween('syllable')) return standAlone && !isUsual ? separator : [];
    if (!isBetween('letter')) return [];
    if (isUsual) return standAlone && /^\s/.test(by) ? separator : [];
    const inRow = [2, -2].some((step) => tokens[at + step]?.[0] === by && isOf(at + step + Math.sign(step), 'letter'));
    return isRare.test(by) || standAlone || inRow ? separator : [];
  });
}

/**
 * What is found in a text, and beside it what is found across separators that are not there. Terms
 * of which no two letters follow each other are not.
 */
export function withSeparators(term: string, find: (text: string) => readonly Place[]) {
  if (!new RegExp(`${spaceless}${spaceless}|[가-힣]{2}`, 'u').test(term)) return find;
  return (text: string): readonly Place[] => {
    const sent = find(text);
    const separators = separatorsIn(text);
    const isLeft = (place: number) => !separators.some(({ start, end }) => start <= place && place < end);
    const places = text
      .split('')
      .map((_, at) => at)
      .filter(isLeft);
    const across = separators.length === 0 ? [] : find(places.map((at) => text[at]).join(''));
    const more = across
      .map(([from, to, isFormatted]): Place => [places[from]!, places[to - 1]! + 1, isFormatted === true])
      .filter(([start, end]) => separators.some((one) => start < one.start && one.end < end))
      .filter(([start]) => !sent.some(([begin]) => begin === start));
    return [...sent, ...more];
  };
}
