/**
 * The known names that a mistyped one was probably meant to be, nearest first, at most three; none when nothing is near.
 * Near is a third of its characters, at least two, or a beginning of three characters and more; case does not count.
 */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, 40).toLowerCase();
  const reach = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((candidate) => ({ candidate, lower: candidate.toLowerCase() }))
    .map(({ candidate, lower }) => ({ candidate, lower, distance: editDistance(wanted, lower) }))
    .filter(({ lower, distance }) => distance <= reach || (wanted.length >= 3 && lower.startsWith(wanted)))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions, replacements and swaps of neighbours that make one word the other, one row at a time. */
function editDistance(from: string, to: string): number {
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
