/**
 * A node of a parsed pattern. Repetitions are expanded already: one node is a child at several
 * places.
 */
export interface ParsedPattern {
  readonly op: number;
  readonly subs: readonly ParsedPattern[];
  readonly runes: ArrayLike<number>;
}

/** Kinds of nodes, by their numbers in re2js. */
const Kind = {
  LITERAL: 2,
  CHARACTER_CLASS: 3,
  ANY_CHARACTER: 5,
  CAPTURE: 12,
  STAR: 13,
  PLUS: 14,
  CONCAT: 17,
  ALTERNATE: 18,
} as const;

/** Size of a node: upper bounds of what it compiles to. */
interface PatternSize {
  readonly instructions: number;
  /** Instructions that read one of many characters, or that may be skipped or repeated. */
  readonly loose: number;
  /** Edges from each instruction that reads a character to each that may read the next. */
  readonly ways: number;
  /** Number of instructions with which a match of the node may begin, and end. */
  readonly first: number;
  readonly last: number;
  readonly nullable: boolean;
}

const literal: PatternSize = { instructions: 1, loose: 0, ways: 0, first: 1, last: 1, nullable: false };
const characterClass: PatternSize = { ...literal, loose: 1 };

/**
 * Bounds the size of the compiled pattern without compiling it. Iterative: groups may be nested
 * 10,000 deep.
 */
export function sizeOfPattern(pattern: ParsedPattern): PatternSize {
  const sizes = new Map<ParsedPattern, PatternSize>();
  const pending = [pattern];
  while (pending.length > 0) {
    const innermost = pending.at(-1)!;
    const open = innermost.subs.filter((sub) => !sizes.has(sub));
    for (const sub of open) pending.push(sub);
    if (open.length > 0) continue;
    pending.pop();
    const subs = innermost.subs.map((sub) => sizes.get(sub)!);
    if (!sizes.has(innermost)) sizes.set(innermost, sizeOfPart(innermost, subs));
  }
  return sizes.get(pattern)!;
}

function sizeOfPart({ op, runes }: ParsedPattern, subs: readonly PatternSize[]): PatternSize {
  if (op === Kind.LITERAL) return sequence(Array.from(runes, () => literal));
  if (op === Kind.CONCAT) return sequence(subs);
  if (op === Kind.ALTERNATE) return choice(subs);
  const [sub] = subs;
  if (sub === undefined) return op >= Kind.CHARACTER_CLASS && op <= Kind.ANY_CHARACTER ? characterClass : literal;
  if (op === Kind.CAPTURE) return { ...sub, instructions: sub.instructions + 2 };
  const again = op === Kind.STAR || op === Kind.PLUS ? sub.first * sub.last : 0;
  return {
    ...sub,
    instructions: sub.instructions + 1,
    loose: sub.instructions,
    ways: sub.ways + again,
    nullable: sub.nullable || op !== Kind.PLUS,
  };
}

function sequence(sizes: readonly PatternSize[]): PatternSize {
  let [instructions, loose, ways, first, last, nullable] = [0, 0, 0, 0, 0, true];
  for (const size of sizes) {
    instructions += size.instructions;
    loose += size.loose;
    ways += size.ways + last * size.first;
    if (nullable) first += size.first;
    last = size.nullable ? last + size.last : size.last;
    nullable &&= size.nullable;
  }
  return { instructions, loose, ways, first, last, nullable };
}

function choice(sizes: readonly PatternSize[]): PatternSize {
  let [instructions, loose, ways, first, last, nullable] = [Math.max(0, sizes.length - 1), 0, 0, 0, 0, false];
  for (const size of sizes) {
    instructions += size.instructions;
    loose += size.loose;
    ways += size.ways;
    first += size.first;
    last += size.last;
    nullable ||= size.nullable;
  }
  return { instructions, loose, ways, first, last, nullable };
}
