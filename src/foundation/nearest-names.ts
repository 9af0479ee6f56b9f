/**
 * Returns the known names nearest to a mistyped one, nearest first, at most three. A name is near
 * if its edit distance is at most a third of the length of the mistyped name, or 2 if that is more,
 * and not all of its letters differ, or if it begins with a mistyped name of three characters or
 * more. Case is ignored.
 */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const typed = name.slice(0, 40).toLowerCase();
  const maxDistance = Math.max(2, Math.floor(typed.length / 3));
  return known
    .map((candidate) => ({ candidate, lower: candidate.toLowerCase() }))
    .map(({ candidate, lower }) => ({ candidate, lower, distance: editDistance(typed, lower) }))
    .filter(
      ({ lower, distance }) =>
        (distance <= maxDistance && distance < lower.length) || (typed.length >= 3 && lower.startsWith(typed)),
    )
    .sort((left, right) => left.distance - right.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/**
 * Returns the Damerau-Levenshtein distance (insertions, deletions, replacements and swaps of
 * neighbours), computed row by row.
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = swapped ? beforeLast[j - 2]! + 1 : change;
      row.push(Math.min(change, swap, row[j - 1]! + 1, last[j]! + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length]!;
}
