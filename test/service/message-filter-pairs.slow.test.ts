/** Every two filters of list messages at once, against a naive listing. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Query } from './call.js';
import { actors, agrees, filters } from './filter-values.js';
import { type InProcess, inProcess } from './in-process.js';
import { select } from './naive-listing.js';
import { data } from './sample-data.js';

let inside: InProcess;
beforeAll(async () => {
  inside = await inProcess(data);
});

/** Every two filters, each with the first three of its values. */
const pairs = filters.flatMap(([one, ones], index) =>
  filters
    .slice(index + 1)
    .map(([other, others]) =>
      ones.slice(0, 3).flatMap((value) => others.slice(0, 3).map((with_): Query => ({ [one]: value, [other]: with_ }))),
    ),
);

describe('two filters of list messages (§4.2)', () => {
  it('hold together (AND), whichever they are, for every acting user', () => {
    let found = 0;
    for (const query of pairs.flat()) {
      for (const actor of actors) found += agrees(inside, query, actor) > 0 ? 1 : 0;
    }
    expect(pairs).toHaveLength((22 * 21) / 2);
    expect(found).toBeGreaterThan(1_500);
  });

  it('begin a page behind the cursor, whatever they are', () => {
    for (const [query = {}] of pairs) {
      const expected = select(query).map(({ id }) => id);
      const middle = expected[expected.length >> 1];
      if ('sentAt' in query || middle === undefined) continue;
      const at = expected.indexOf(middle);
      expect(inside.ids({ ...query, id: middle })).toEqual(expected.slice(at + 1));
      expect(inside.ids({ ...query, id: middle, affix: 'prepend' })).toEqual(expected.slice(0, at));
    }
  });
});
