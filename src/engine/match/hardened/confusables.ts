/**
 * Which letters may stand for each other: letters that look like ASCII letters or digits, and
 * digits and signs that are written for letters. The first are Unicode's confusables
 * (confusables.txt of UTS #39; its licence is in `../unicode-license.txt`), without what case
 * folding and decomposition bring already.
 */
import { plainLetters } from '../accents.js';
import { WHITE } from '../folding.js';
import { HOMOGLYPH, JOINED, LEET } from './transforms.js';

/**
 * `letters:code-points`, code points in base 36 as distances from the one before, `.n` for n more
 * in a row. 1.8 KB instead of 500 pairs; a test derives it anew from the data package.
 */
export const confusables =
  '2:bs,j,fi,3bq,squ,4q,30 3:f1,1r,1i,bp,2q,20,7vw,o7y,13gw,jij 4:3wu 6:3xq,4x1 7:1fju,14ig 8:f7,1jb,3k,1d4g,19dd 9:1' +
  'yl,3e,75,ed,672,o84 a:gh,9s,3j,322,ez,1ff,19y,4,pkk,iia,lgg aa:x0z ae:6e ao:x11 au:x13 av:x15,2 ay:x19 b:ao,3,2,5q' +
  ',1y,7t,3j.1,q,n,16,30i,11,3i.1,8s,20,s7t,kl,hxp,v,2o c:4i,be,c6,27,2y,304,1t1,pp,2dg,nqt,iiw,2o,8r,67,1aoi,15q d:6' +
  'o,x,3f,5m.1,iy,2vz,1z,3s,a7,c,1ej,py,q3r.1 dz:ir e:g7,a6,3k,3s,2,2y5,1uj,tj,cx,20q,nnb,18i,h90 f:b6,gb,br,374,1iy,' +
  '8f,qio,gj,2x,po,h8y,u,hs,14ha g:b1,2g,3f.2,iz,38,2tb,1f,1w0,qqb h:87,8v,1i,7v,3q,u,20,o,d,2,4m,2tn,7,1c,ay,4j0,13,' +
  'nrs,by,i7u i:8h,8n.2,9b,4d,3d,2xi,1xy.1,16f,5,pu7 j:g9,2c,9i,2t,30z,6a,1od,qtr k:bd,f5,3k,2p,4,30n,kv,186,pu,2bh,1' +
  '7,nr6,h6,ijb l:8y,2g,5q,3,2,sm,2nf,5o,4rr,nps,iua,6b,kxc,jkk ll:ch ls:iy lz:iz m:hd,97,1r,1t,42,2y1,ft,6e,187,2q,m' +
  'u,2d0,nra,ij5,2p,3xr n:bi,5w.2,8z,6,cb,4,4qc,2zv,nr9,ib2,p1 o:6w,al,8z,7,4,3f,1h,3a,4c,2k,2u,u,2h,3,k,w,a,5d,bq,3k' +
  ',3k,3k,1m,1y,3k,3k,3k,1m,1y,6i,3k,8w,d,z,5b,cx,5w,q,19,1t0,2,139,7,5r,1tf,42,g,j,j7,n3g,go,s2.1,h90,p,ap,5a,18,33u' +
  ',11e2,7ay oe:9f oo:x1r p:bp,f0,3j,336,3v,1pn,2t,16f,1tb,nqm,iis q:io,hn,20,3,7vz,o62 r:gd,1b.1,3,c3,2o,2z2,g,x,c5,' +
  '1i7,24,2z7,nry,19g.1,hp0,l09,jj5 s:cd,5h,cz,8a,2ty,5,1wa,qr2,gf,i1x,c2,l4i t:9z,1y,63,8s,3i,2z,2yd,1vd,2i,mx,dy,59' +
  ',vs,wd,1t,nql,iir,q,2s,lbp,qxq t3:x0p tf:x2v ts:iu u:i1,2,8q,c8,2gz,cs,3k,1qo,2q,x8,49,ppt,iz,q7,4,hpg,kzw ue:5t7 ' +
  'uo:xur v:ql,54,9v,3z,40,2jm,2e,1rl,zs,49,22f,nn2,e1,hx4,p2,3jd,hdu,jk5,7az w:hb,du,s,4g,1w,2tu,x,1u5,p4,q4h,hj,llw' +
  ',g5,4.1 x:5z,kw,3i,32,39q,1o,6o.1,21,2ws,qg.1,77.1,hp,4w,nm6,19k,h1f,6y,10,2r,b,ed y:4l,7j,4b,k,18,84,i,d,35,30,2,' +
  '2eu,jm,k,1xr,ab,2p6,nr7,19q,h94,lg1 z:c6,33,2z,86,365,1un,2c,qqu,il5 |:cg,4p,1i,7u,4d,3d,6p,l,a,20,1m,40,61,2yf,28' +
  'y,d6,1p2,58,nmr,ihk,3j,n,lc8,o0v';

/** Stands for a bare stroke among prototypes: an `i` or an `l`. */
const STROKE = '|';

const codes = (text: string) => Array.from(text, (character) => character.codePointAt(0)!);
/** Letters that a digit, a sign or a thorn is written for. */
const leet = '4a @a 8b 3e €e 6g 9g 1il !i ¡i |il 0o 5s $s 7t +t 2z þp';
const leetLetters = new Map(leet.split(' ').map((pair) => [pair.codePointAt(0)!, codes(pair.slice(1))]));
const none: readonly number[] = [];

/**
 * The prototypes of letters that look like one letter or digit, and those of letters that look like
 * several (`æ`).
 */
interface Prototypes {
  readonly single: ReadonlyMap<number, readonly number[]>;
  readonly ligatures: ReadonlyMap<number, readonly number[]>;
}

let prototypes: Prototypes | undefined;

/**
 * Reads the table. A letter has the prototypes of both of its cases: `н` is an `h` as `Н` is an
 * `H`. What looks like a bare stroke is an `i` and an `l`.
 */
function readPrototypes(): Prototypes {
  const single = new Map<number, readonly number[]>();
  const ligatures = new Map<number, readonly number[]>();
  const add = (letter: number, prototype: string) => {
    if (prototype.length > 1) ligatures.set(letter, codes(prototype));
    else {
      const like = codes(prototype === STROKE ? 'il' : prototype);
      single.set(letter, [...new Set([...(single.get(letter) ?? none), ...like])]);
    }
  };
  for (const group of confusables.split(' ')) {
    const [prototype = '', distances = ''] = group.split(':');
    let letter = 0;
    for (const encoded of distances.split(',')) {
      const [distance = '', more = '0'] = encoded.split('.');
      letter += Number.parseInt(distance, 36);
      add(letter, prototype);
      for (let left = Number.parseInt(more, 36); left > 0; left--) add(++letter, prototype);
    }
  }
  return { single, ligatures };
}

/**
 * Returns the letters and digits that a letter looks like, itself not included. ASCII characters
 * look like none.
 */
export function prototypesOf(letter: number): readonly number[] {
  if (letter < 0x80) return none;
  prototypes ??= readPrototypes();
  return prototypes.single.get(letter) ?? none;
}

const looks = new Map<number, readonly number[]>();

/**
 * Returns the letter itself and what it may stand for, one step and two steps away; a letter of a
 * term may look like one of these in turn.
 */
export function looksOf(letter: number): readonly number[] {
  const known = looks.get(letter);
  if (known !== undefined) return known;
  const first = [letter, ...prototypesOf(letter), ...leetLettersOf(letter)];
  // Most letters look like themselves alone: only the others are kept.
  if (first.length === 1) return first;
  const all = [...new Set(first.flatMap((look) => [look, ...prototypesOf(look)]))];
  looks.set(letter, all);
  return all;
}

/** Returns the letters in a row that a folded letter looks like, or undefined. */
export function ligatureOf(letter: number): readonly number[] | undefined {
  prototypes ??= readPrototypes();
  return prototypes.ligatures.get(letter);
}

/** Returns the letters that a digit or a sign is written for. */
function leetLettersOf(sign: number): readonly number[] {
  return leetLetters.get(sign) ?? none;
}

/** Reports whether a character that joins no words can stand for a letter. */
export function mayReadAsLetter(code: number): boolean {
  return leetLetters.has(code) || prototypesOf(code).length > 0;
}

/** Signs that are written between two words in place of white space. */
export const joiners: ReadonlySet<number> = new Set(
  Array.from('.-_*,/\\|~+=:;#&·•‧∙・—', (sign) => sign.charCodeAt(0)),
);

const latin = /^\p{Script=Latin}$/u;
/** Whether each letter beyond ASCII is Latin. */
const latinLetters = new Map<number, boolean>();

/**
 * Reports whether a letter of a term is a Latin one beyond ASCII, as `ɦ`. What it has more than the
 * letter that it looks like must be in a text, but where it is typed as that one: `røv` may be
 * `rov`.
 */
function isExtendedLatin(wanted: number): boolean {
  if (wanted < 0x80) return false;
  let is = latinLetters.get(wanted);
  if (is === undefined) {
    is = latin.test(String.fromCodePoint(wanted));
    latinLetters.set(wanted, is);
  }
  return is;
}

/**
 * Returns the transforms under which a letter of a text is a letter of a term; -1 when it is not.
 */
export function confusableBy(written: number, wanted: number): number {
  if (written === wanted) return 0;
  if (wanted === WHITE) return joiners.has(written) ? JOINED : -1;
  if (isExtendedLatin(wanted))
    return plainLetters.get(String.fromCodePoint(wanted)) === String.fromCodePoint(written) ? HOMOGLYPH : -1;
  if (lookAlike(written, wanted)) return HOMOGLYPH;
  const letters = leetLettersOf(written);
  if (letters.includes(wanted)) return LEET;
  return letters.some((letter) => lookAlike(letter, wanted)) ? LEET | HOMOGLYPH : -1;
}

/** Reports whether two letters are one, or share a letter that both look like. */
function lookAlike(first: number, second: number): boolean {
  if (first === second) return true;
  const left = prototypesOf(first);
  const right = prototypesOf(second);
  return left.includes(second) || right.includes(first) || left.some((letter) => right.includes(letter));
}

/** Returns all digits and signs that are written for letters. */
export function leetSigns(): Iterable<number> {
  return leetLetters.keys();
}

/** Returns all letters that look like others. */
export function lettersWithPrototypes(): Iterable<number> {
  prototypes ??= readPrototypes();
  return prototypes.single.keys();
}
