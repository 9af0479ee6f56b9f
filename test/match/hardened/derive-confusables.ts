import { caseFolds } from '../../../src/engine/match/case-folding.js';

/**
 * Drawn as capitals, and by Unicode confusable with each other at the most: `ᴀ` is read as an `a`
 * all the same.
 */
const smallCapitals = ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnopqrstuvwyz'] as const;

const STROKE = '|';

/**
 * Derives the data of `src/engine/match/hardened/confusables.ts` from a map of confusables
 * (character to prototype), as the package `unhomoglyph` has it: `letters:code-points` by
 * prototype, code points in base 36 as distances, `.n` for n more in a row. A letter that looks
 * like a letter and like a digit is a letter. Kept is what simple folding and decomposition do not
 * bring already, and whose prototype is ASCII letters and digits once its marks are taken off;
 * several of them only for Latin letters (`æ`). `|` stands for a bare stroke.
 */
export function deriveConfusables(data: Readonly<Record<string, string>>): string {
  const byPrototype = new Map<string, Set<number>>();
  const capitals = [...smallCapitals[0]].map((capital, at) => [capital, smallCapitals[1][at]!] as const);
  for (const [character, written] of [...Object.entries(data), ...capitals]) {
    const code = character.codePointAt(0)!;
    const letter = caseFolds.get(code) ?? code;
    const text = String.fromCodePoint(letter);
    if (letter < 0x80 || /^\p{M}|^\p{Default_Ignorable_Code_Point}|^\s/u.test(character)) continue;
    if (text.normalize('NFKD') !== text && !isGreekVariant(text)) continue;
    // Its two cases look like different letters, which would make these one to the scan.
    if (/^\p{Script=Warang_Citi}$/u.test(text)) continue;
    const spelled = written.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    // Unicode takes `m` for `rn`; here `m` stays a letter of its own.
    const prototype = spelled === 'rn' ? 'm' : spelled;
    if (!/^[a-z0-9]+$/.test(prototype)) continue;
    if (prototype.length > 1 && !/^\p{Script=Latin}$/u.test(text)) continue;
    // The prototype of all bare strokes; with a bar (`ł`) or as a capital it is an `l` and no `i`.
    const key = written === 'l' ? STROKE : prototype;
    byPrototype.set(key, (byPrototype.get(key) ?? new Set()).add(letter));
  }
  const looksLikeLetter = new Set(
    [...byPrototype].flatMap(([prototype, like]) => (/^[a-z|]$/.test(prototype) ? [...like] : [])),
  );
  for (const [prototype, like] of byPrototype) {
    if (/^[0-9]$/.test(prototype)) for (const letter of like) if (looksLikeLetter.has(letter)) like.delete(letter);
  }
  return [...byPrototype]
    .filter(([, like]) => like.size > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([prototype, letters]) => `${prototype}:${distances([...letters].sort((a, b) => a - b))}`)
    .join(' ');
}

/** `ϲ` is drawn as a `c`, and decomposes to a sigma: its looks count. */
function isGreekVariant(text: string): boolean {
  return /^\p{Script=Greek}$/u.test(text) && /^\p{Script=Greek}$/u.test(text.normalize('NFKD'));
}

function distances(letters: readonly number[]): string {
  const parts: string[] = [];
  let last = 0;
  for (let index = 0; index < letters.length; ) {
    const first = letters[index]!;
    let more = 0;
    while (letters[index + more + 1] === first + more + 1) more++;
    parts.push((first - last).toString(36) + (more > 0 ? `.${more.toString(36)}` : ''));
    last = first + more;
    index += more + 1;
  }
  return parts.join(',');
}
