/**
 * Finds a shortest text that a pattern matches, or that there is no such text.
 *
 * It is a breadth-first search over the states of the pattern's automaton (`transitions.ts`), which
 * are created when they are visited. Each state is visited once. If all are visited without a
 * match, the pattern matches no text.
 */
import { buildPatternClasses, type PatternClasses } from '../../engine/match/patterns/classes.js';
import type { PatternProgram } from '../../engine/match/patterns/program.js';
import { PatternStates } from '../../engine/match/patterns/states.js';
import { TransitionBuilder } from '../../engine/match/patterns/transitions.js';
import { runAtOnce } from '../../foundation/portions.js';

/** A shortest text. If `text` is absent, the pattern matches no text. */
export interface Shortest {
  readonly text: string | undefined;
}

/** The largest numbers of visited states and followed instructions. */
const most = { states: 10_000, work: 2_000_000 } as const;

/**
 * Returns a shortest text that matches the only pattern of a program, or `undefined` if the search
 * would take too long.
 */
export function shortestText(program: PatternProgram): Shortest | undefined {
  const classes = runAtOnce(buildPatternClasses(program));
  if (classes === undefined) return undefined;
  const builder = new TransitionBuilder(program, classes);
  if (builder.always.length > 0) return { text: '' };
  const states = new PatternStates(builder, most.states, most.work);
  const characters = charactersOf(program, classes);
  builder.count = 0;
  builder.context = builder.startContext;
  const texts: string[] = [''];
  for (let state = states.enter(); state < texts.length; state++) {
    for (const [character, classNumber] of characters) {
      const from = states.from(state);
      builder.advance(states.waiting, from, from + states.lengthOf(state), states.contextOf(state), classNumber);
      const text = texts[state]! + character;
      // A text with lone surrogates is a text that nobody writes.
      if (builder.idCount > 0) return text.isWellFormed() ? { text } : undefined;
      if (builder.work > most.work) return undefined;
      if (classNumber === classes.end) continue;
      const next = states.enter();
      if (next < 0) return undefined;
      texts[next] ??= text;
    }
  }
  return { text: undefined };
}

/** The characters of ASCII, letters first. */
const readable = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .-_', (character) =>
  character.charCodeAt(0),
);
for (let code = 0x21; code < 0x7f; code++) readable.push(code);

/**
 * Returns the classes to try, each with one of its characters. The end of the text comes first,
 * since no longer text is needed then.
 */
function charactersOf({ runeSets }: PatternProgram, classes: PatternClasses): (readonly [string, number])[] {
  const bounds = runeSets.flatMap((set) => Array.from(set, (code, at) => code + (at % 2)));
  const found = new Map<number, string>();
  for (const code of [...readable, ...Array(0xa1).keys(), 0x3000, ...bounds]) {
    if (code > 0x10ffff) continue;
    const classNumber = classes.units[code] || classes.classOf(code);
    if (!found.has(classNumber)) found.set(classNumber, String.fromCodePoint(code));
  }
  return [['', classes.end], ...[...found].map(([classNumber, character]) => [character, classNumber] as const)];
}
