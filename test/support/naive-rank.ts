/**
 * The choice of examples, naively: all of them are ranked and sorted. Shares nothing with the
 * house.
 */

/** FNV-1a over UTF-16 units and the last step of MurmurHash3, in whole numbers of any size. */
export function naiveDigest(text: string): bigint {
  const low = (value: bigint) => value % 2n ** 32n;
  const mixed = (hash: bigint, bits: bigint, factor: bigint) => low((hash ^ (hash / 2n ** bits)) * factor);
  const units = text.split('').map((unit) => BigInt(unit.charCodeAt(0)));
  const hash = units.reduce((sum, unit) => low((sum ^ unit) * 16777619n), 2166136261n);
  const last = mixed(mixed(hash, 16n, 2246822507n), 13n, 3266489909n);
  return mixed(last, 16n, 1n);
}

interface Rankable {
  readonly messageId: string | null;
  readonly onlyCause: boolean;
}

/** The `most` examples of least rank, one for each message. */
export function naiveChoice<Item extends Rankable>(examples: readonly Item[], most: number): Item[] {
  const ranked = examples
    .map((example) => {
      const json = JSON.stringify(example);
      const digest = String(naiveDigest(example.messageId ?? json)).padStart(10, '0');
      return {
        example,
        message: example.messageId ?? { json },
        rank: `${example.onlyCause ? 0 : 1} ${digest} ${json}`,
      };
    })
    .sort((left, right) => (left.rank < right.rank ? -1 : 1));
  const messages = ranked.map(({ message }) => JSON.stringify(message));
  return ranked
    .filter((_, index) => messages.indexOf(messages[index]!) === index)
    .slice(0, most)
    .map(({ example }) => example);
}
