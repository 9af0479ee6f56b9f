/**
 * Signs of formatting, taken away the slow way: for each kind of sign a regular expression, and for
 * each sign that may close a pair a look back through all signs of its kind.
 */

/** Where something is found in a text, and whether it was only found without signs. */
export type Place = readonly [start: number, end: number, isFormatted?: boolean];

const kinds = ['*', '**', '***', '_', '__', '___', '~', '~~', '||', '`', '``', '```'];
const inWord = /[\p{L}\p{N}\p{M}]/u;

interface Sign {
  readonly at: number;
  readonly end: number;
}

/** Pairs of one kind, as their signs one after the other. */
function signsInPairs(text: string, kind: string, joins: (character: string) => boolean): Sign[] {
  const [unit] = [`\\${kind[0]}`];
  const run = new RegExp(`(?<!${unit}|\\\\)${unit}{${kind.length}}(?!${unit})`, 'g');
  const signs = [...text.matchAll(run)].map(({ index }): Sign => ({ at: index, end: index + kind.length }));
  const isBehind = ({ at }: Sign) => joins([...text.slice(0, at)].at(-1) ?? '');
  const isBefore = ({ end }: Sign) => joins([...text.slice(end)][0] ?? '');
  const isLow = kind.startsWith('_');
  const opens = (sign: Sign) => /^\S/.test(text.slice(sign.end)) && !(kind === '_' && isBehind(sign));
  const closes = (sign: Sign, opened: Sign) => {
    if (/\s$/.test(text.slice(0, sign.at)) || /\n\s*\n/.test(text.slice(opened.end, sign.at))) return false;
    const touching = [isBehind(opened), isBefore(sign)].filter((one) => one).length;
    return !isLow || touching <= (kind === '_' ? 0 : 1);
  };
  const paired: Sign[] = [];
  for (const [index, sign] of signs.entries()) {
    const opened = signs.slice(0, index).findLast(opens);
    if (opened === undefined || opened.at <= (paired.at(-1)?.at ?? -1)) continue;
    if (closes(sign, opened)) paired.push(opened, sign);
  }
  return paired;
}

/**
 * The addresses of links with the brackets before them, and the brackets before their texts: of
 * each the nearest.
 */
function linksIn(text: string) {
  const addresses: Sign[] = [];
  const brackets: Sign[] = [];
  for (const { 0: address, index: at } of text.matchAll(/\]\((?:<[^\s>([]*>|(?!<)[^\s()[]+)\)/g)) {
    const from = text.lastIndexOf('[', at);
    const between = text.slice(from + 1, at);
    if (from < 0 || between.includes(']') || /\n\s*\n/.test(between)) continue;
    addresses.push({ at, end: at + address.length });
    brackets.push({ at: from, end: from + 1 });
  }
  return { addresses, brackets };
}

/** A text without the signs of its pairs, and where each of its units was. */
export function withoutPairs(text: string, joins = (character: string) => inWord.test(character)) {
  const links = linksIn(text);
  // Within an address nothing is a sign.
  const shown = [...links.addresses].reduce(
    (all, { at, end }) => all.slice(0, at) + 'x'.repeat(end - at) + all.slice(end),
    text,
  );
  const signs = [...kinds.flatMap((kind) => signsInPairs(shown, kind, joins)), ...links.addresses, ...links.brackets];
  const places = text
    .split('')
    .map((_, at) => at)
    .filter((place) => !signs.some(({ at, end }) => at <= place && place < end));
  return { text: places.map((at) => text[at]).join(''), places };
}

const leetSign = /[@$!|+€¡]/;

/**
 * What is found in a text, and beside it what is found across signs that are not there; what
 * `plain` does not find there, unless a sign that may be a letter stands beside one.
 */
export function withFormatting(
  find: (text: string) => readonly Place[],
  joins: (character: string) => boolean,
  plain: (text: string) => readonly Place[] = find,
) {
  return (text: string): readonly Place[] => {
    const sent = find(text);
    const bare = withoutPairs(text, joins);
    const isBeside = (place: number) =>
      bare.places[place + 1] !== bare.places[place]! + 1 &&
      (leetSign.test(bare.text[place]!) || leetSign.test(bare.text[place + 1]!));
    const places = plain(bare.text).map(String);
    const isPlain = (place: Place) => plain === find || places.includes(String(place));
    const isWithin = ([from, to]: Place, place: number) => place >= from && place < to - 1;
    const across = (bare.text === text ? [] : find(bare.text)).filter(
      (found) => isPlain(found) || !bare.places.some((_, place) => isWithin(found, place) && isBeside(place)),
    );
    const more = across.map(([from, to]): Place => [bare.places[from]!, bare.places[to - 1]! + 1, true]);
    const isNew = ([start, end]: Place, index: number) =>
      end - start > across[index]![1] - across[index]![0] && !sent.some(([begin]) => begin === start);
    return [...sent, ...more.filter(isNew)];
  };
}
