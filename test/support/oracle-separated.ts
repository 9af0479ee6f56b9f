/** Texts without what separates the letters of scripts that are written without spaces, by a list of all letters, words' characters and runs. */

const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const spaceless = `(?!\\p{scx=Latin})(?=[\\p{L}\\p{N}\\p{M}])[${scripts.map((one) => `\\p{scx=${one}}`).join('')}]`;
const token = new RegExp(
  `(?<letter>${spaceless}(?:(?=\\p{M})${spaceless})*)|(?<syllable>[가-힣])|(?<word>[\\p{L}\\p{N}\\p{M}])|(.)\\4*`,
  'gsu',
);
const isRare = /^[*_|+^=\\＊＿｜＋＾＝＼]/u;
const isSign = /^[.\-/~#@&%$'"·•‧∙・．－／～＃＠＆％＄\p{Extended_Pictographic}]/u;

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
