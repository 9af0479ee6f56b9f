import type { SampledPattern } from './patterns.js';

const none = () => '';

/** Patterns that make a backtracking engine try exponentially many ways, or an automaton grow many states. */
export const hostilePatterns: readonly SampledPattern[] = [
  { source: '^(?:a+)+$', sample: none },
  { source: '(?:x+x+)+y', sample: none },
  { source: '(?:[a-z]+ ?)+[0-9]$', sample: none },
  { source: '[ab][^c]{40}d', sample: none },
  { source: '(?:a?){24}a{24}b', sample: none },
  { source: '(?i)(?:.*,){11}p', sample: none },
];

/** Texts for them: each nearly matches for long, and no two are alike. */
export function hostileTexts(messages: number): string[] {
  return Array.from({ length: messages }, (_, index) => {
    const size = 26 + (index % 7) * 40;
    const shapes = [
      `${'a'.repeat(size)}!`,
      `${'x'.repeat(size)}z`,
      `${'word '.repeat(size / 5)}?`,
      'ab'.repeat(size / 2),
      `${'a'.repeat(size)}c`,
      '1,'.repeat(size / 2),
      // These match, late: a count of nothing would prove nothing.
      `${'x'.repeat(size)}y`,
      `${'ab'.repeat(size)}d`,
      `${'1,'.repeat(size / 2)}P`,
    ];
    return `${shapes[index % shapes.length]}${index}!`;
  });
}
