/**
 * What stands before a character, as far as lone letters ask: a word (`MORE`); the n-th letter of those that stand alone one
 * after the other, or a sign in its place; what separates after n of them; or a bar, which may be all of these. Of a word that
 * ends in `i` or `l` it is told which: both of the last two letters, or the last alone where they differ or there is one.
 */
export const Before = {
  ...{ BREAK: 0, BREAK_1: 1, BREAK_2: 2 },
  ...{ ONE: 3, TWO: 4, THREE: 5 },
  ...{ SIGN_1: 6, SIGN_2: 7, SIGN_3: 8 },
  ...{ MORE: 9, MORE_I: 10, MORE_L: 11, MORE_LI: 12, MORE_IL: 13 },
  BAR: 14,
} as const;
/** So many there are, and one more: to multiply and to divide by it is a shift. */
export const KINDS = 16;

/** Whether nothing that joins stands before. */
export const isBreakKind = (before: number) => before <= Before.BREAK_2;
const isSignKind = (before: number) => before >= Before.SIGN_1 && before <= Before.SIGN_3;

/** What stands before the character after one. */
export function after(before: number, isBreak: boolean): number {
  if (before === Before.BAR) return isBreak ? Before.BREAK_2 : Before.THREE;
  if (before >= Before.MORE) return isBreak ? Before.BREAK : Before.MORE;
  if (isBreakKind(before)) return isBreak ? before : before + Before.ONE;
  const count = isSignKind(before) ? before - Before.SIGN_1 + 1 : before - Before.ONE + 1;
  if (isBreak) return Math.min(count, Before.BREAK_2);
  // Before a letter a sign does not stand alone, and separates nothing.
  return isSignKind(before) ? Before.ONE : Before.MORE;
}

/** What stands before the character after an `i` or an `l` in a word, which may be one more of a run of them. */
export function afterStroke(before: number, isRun: boolean, isI: boolean): number {
  if (!isRun) return isI ? Before.MORE_I : Before.MORE_L;
  if (before === Before.MORE_I || before === Before.MORE_LI) return isI ? Before.MORE_I : Before.MORE_IL;
  if (before === Before.MORE_L || before === Before.MORE_IL) return isI ? Before.MORE_LI : Before.MORE_L;
  return Before.MORE;
}

/** Whether the last two letters of a word are an `i` and an `l`. */
export const areTwoStrokes = (before: number) => before === Before.MORE_LI || before === Before.MORE_IL;

/** What stands before the character after a sign, which may be a letter where none touches it. */
export function afterSign(before: number, isBar: boolean): number {
  if (isBar || before === Before.BAR) return Before.BAR;
  if (isBreakKind(before)) return before + Before.SIGN_1;
  return isSignKind(before) ? Before.SIGN_1 : Before.BREAK;
}

/** Whether a third letter that stands alone may end behind what stands before. */
export function mayBeThird(before: number): boolean {
  return before === Before.THREE || before === Before.SIGN_3 || before === Before.BAR;
}
