import { describe, expect, it } from 'vitest';
import { translatePattern } from '../../src/engine/match/patterns/translate.js';

describe('translatePattern', () => {
  it.each([
    ['a unit escape', '\\u00e9', '\\x{00e9}'],
    ['a pair of surrogates', '\\uD83D\\uDE00', '\\x{1f600}'],
    ['a lone surrogate', '\\uD83Dx', '\\x{D83D}x'],
    ['a half and a class of halves', 'a\\ud83d[\\ude00-\\ude4f]+', 'a[\\x{1f600}-\\x{1f64f}]+'],
    [
      'classes of halves',
      '[\\uD83C\\uD83D][\\uDF00-\\uDF02\\uDF04]',
      '[\\x{1f300}-\\x{1f302}\\x{1f304}\\x{1f700}-\\x{1f702}\\x{1f704}]',
    ],
    ['all halves', '[\\ud800-\\udbff][\\udc00-\\udfff]', '[\\x{10000}-\\x{10ffff}]'],
    ['second halves from before the first of them', '\\ud83c[\\ud000-\\udfff]', '[\\x{1f000}-\\x{1f3ff}]'],
    ['halves in the wrong order', '\\ude00[\\ud83d-\\ud83e]', '\\x{de00}[\\x{d83d}-\\x{d83e}]'],
    ['a class of more than halves', '\\ud83d[\\ude00x]', '\\x{d83d}[\\x{de00}x]'],
    ['a class of anything but halves', '\\ud83d[^\\ude00]', '\\x{d83d}[^\\x{de00}]'],
    ['an escaped backslash before a half', '\\\\ud83d[\\ude00]', '\\\\ud83d[\\x{de00}]'],
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

  it('leaves halves that would give thousands of ranges, without computing these', () => {
    const some = `[${'\\ud800-\\udbff'.repeat(500)}][${'\\udc01'.repeat(500)}]`;
    expect(translatePattern(some)).toBe(some.replace(/\\u([a-f0-9]{4})/g, '\\x{$1}'));
    expect(translatePattern('[\\ud800-\\udbff]\\udc01'.repeat(100)).length).toBeLessThan(4_000);
  });
});
