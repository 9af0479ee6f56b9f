import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/errors.js';
import { refuseUnknownOptions } from '../src/unknown-options.js';

function refusal(given: unknown, known: readonly string[]): string {
  try {
    refuseUnknownOptions('`createThing`', given as object, known);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  return 'accepted';
}

describe('unknown options', () => {
  it.each<[unknown, readonly string[], string]>([
    [{}, ['attempts'], 'accepted'],
    [{ attempts: 3, signal: undefined }, ['attempts', 'signal'], 'accepted'],
    [{ attemps: 3 }, ['attempts'], "`createThing` has no option 'attemps'; did you mean 'attempts'?"],
    [{ Attempts: 3 }, ['signal', 'attempts'], "`createThing` has no option 'Attempts'; did you mean 'attempts'?"],
    [{ maxWait: 1 }, ['maxWaitMs'], "`createThing` has no option 'maxWait'; did you mean 'maxWaitMs'?"],
    [{ colour: undefined }, ['a', 'signal'], "`createThing` has no option 'colour'; known are 'a', 'signal'"],
    [{ toString: 1 }, ['signal'], "`createThing` has no option 'toString'; known are 'signal'"],
    [JSON.parse('{"__proto__":1}'), ['signal'], "`createThing` has no option '__proto__'; known are 'signal'"],
    [{ ['x'.repeat(500)]: 1 }, ['signal'], `\`createThing\` has no option '${'x'.repeat(40)}'; known are 'signal'`],
    [null, ['signal'], '`createThing` must be an object of options'],
    [undefined, ['signal'], '`createThing` must be an object of options'],
    ['signal', ['signal'], '`createThing` must be an object of options'],
  ])('%j, with %j known: %s', (given, known, words) => {
    expect(refusal(given, known)).toBe(words);
  });

  it('ignores what an object inherits', () => {
    expect(refusal(Object.create({ attemps: 1 }), ['attempts'])).toBe('accepted');
  });
});
