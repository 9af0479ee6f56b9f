import { charactersOf, type ReadLink, type ReadWord } from '../../engine/compile/word-readings.js';
import { type Folding, foldText, WHITE } from '../../engine/match/folding.js';
import { ANY_LINK } from '../../engine/match/links/host.js';
import { topLevelDomains } from '../../engine/match/links/top-level-domains.js';
import { FREE_END, FREE_START, freeSidesOf, linksWords, type WordReading } from '../../engine/match/word-edges.js';
import { expansionsOf, symbolCharacters } from './term-program.js';

/**
 * Reports whether a term stands within another of the same folding so that it is found wherever that is: a quick test, for lists are long. True is
 * a proof; false is not, since it may be found by a way that depends on the text.
 *
 * INVARIANT: an offset within the other term counts as a word edge only where it is one however the term is spelled, and never between
 * two symbols that one character may stand for.
 */
export function isWithin(inner: ReadWord, outer: ReadWord): boolean {
  const folding = charactersOf(outer.folding);
  const own = foldText(inner.text, folding);
  const symbols = foldText(outer.text, folding);
  if (own.length === 0 || symbols.some((symbol) => (symbol & ~0x7ff) === 0xd800)) return false;
  const [free, freeOfOuter] = freeSidesOf([inner.reading as WordReading, outer.reading as WordReading], 2);
  const isFree = (side: number) => (free! & side) !== 0;
  const isSame = (side: number) => isFree(side) || (freeOfOuter! & side) === 0;
  for (let at = symbols.indexOf(own[0]!); at >= 0; at = symbols.indexOf(own[0]!, at + 1)) {
    const end = at + own.length;
    if (end > symbols.length) return false;
    if (!own.every((symbol, index) => symbols[at + index] === symbol)) continue;
    const begins =
      at === 0 ? isSame(FREE_START) || isApart(symbols[0]!, folding) : cuts(symbols, at, isFree(FREE_START), folding);
    const ends =
      end === symbols.length
        ? isSame(FREE_END) || isApart(symbols[end - 1]!, folding)
        : cuts(symbols, end, isFree(FREE_END), folding);
    if (begins && ends) return true;
  }
  return false;
}

/** Reports whether every link that a term matches is matched by another one, whose domain it is below. */
export function isLinkWithin(inner: ReadLink, outer: ReadLink): boolean {
  if (inner.folding !== outer.folding) return false;
  const [[host, path], [domain, paths]] = [hostAndPath(inner.text), hostAndPath(outer.text)];
  // A listed domain needs neither a scheme nor a top-level domain.
  if (domain === ANY_LINK) return host === ANY_LINK || topLevelDomains().has(host.slice(host.lastIndexOf('.') + 1));
  return `.${host}`.endsWith(`.${domain}`) && `${path}/`.startsWith(`${paths}/`);
}

function hostAndPath(text: string): readonly [host: string, path: string] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
}

/** Reports whether an occurrence may begin or end at an offset within a term, at a word edge unless that is not needed. */
function cuts(symbols: readonly number[], at: number, isFree: boolean, folding: Folding): boolean {
  const [before, behind] = [symbols[at - 1]!, symbols[at]!];
  if (isJoint(before, folding) && isJoint(behind, folding)) return false;
  return isFree || isApart(before, folding) || isApart(behind, folding);
}

/** Reports whether no character of a symbol joins or links words. */
function isApart(symbol: number, folding: Folding): boolean {
  if (symbol === WHITE) return true;
  if (linksWords(symbol) || (folding === 'accents' && isJoint(symbol, folding))) return false;
  return symbolCharacters(symbol, folding, 'joining').length === 0;
}

const joint = new Map<Folding, ReadonlySet<number>>();

/** Reports whether a character may stand for a symbol together with others. */
function isJoint(symbol: number, folding: Folding): boolean {
  const known =
    joint.get(folding) ?? new Set([...expansionsOf(folding).values()].flat().flatMap(([, symbols]) => symbols));
  joint.set(folding, known);
  return known.has(symbol);
}
