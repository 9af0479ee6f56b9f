import { describe, expect, it } from 'vitest';
import { translatePattern } from '../../src/match/translate-pattern.js';

describe('translatePattern', () => {
  it.each([
    ['a unit escape', '\\u00e9', '\\x{00e9}'],
    ['a pair of surrogates', '\\uD83D\\uDE00', '\\x{1f600}'],
    ['a lone surrogate', '\\uD83Dx', '\\x{D83D}x'],
    ['a code point', 'a\\u{1F600}+', 'a\\x{1F600}+'],
    ['a control character', '\\cJ\\cj', '\\x{a}\\x{a}'],
    ['a named group', '(?<year>\\d{4})', '(?P<year>\\d{4})'],
    ['no lookbehind', '(?<=a)(?<!b)', '(?<=a)(?<!b)'],
    ['an escaped backslash before u', '\\\\u0041', '\\\\u0041'],
    ['escapes inside a class', '[\\u0400-\\u04ff\\cJ]', '[\\x{0400}-\\x{04ff}\\x{a}]'],
    ['no group inside a class', '[(?<a>]', '[(?<a>]'],
    ['a bracket that a class starts with', '[](?<a>](?<b>x)', '[](?<a>](?P<b>x)'],
    ['a named class', '[[:alpha:](?<a>](?<b>x)', '[[:alpha:](?<a>](?P<b>x)'],
    ['quoted text', '\\Qa.b(\\E+', 'a\\.b\\(+'],
    ['quoted text without an end', '\\Qa.b', 'a\\.b'],
    ['a backslash at the end', 'abc\\', 'abc\\'],
    ['everything else', '^(?i)[a-z]+\\.\\p{L}\\x{41}\\/$', '^(?i)[a-z]+\\.\\p{L}\\x{41}\\/$'],
  ])('%s', (_, pattern, expected) => {
    expect(translatePattern(pattern)).toBe(expected);
  });
});
