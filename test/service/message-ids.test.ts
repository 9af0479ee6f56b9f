import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateColumns } from '../../src/service/message-columns.js';
import { createMessageIds, numberOfId } from '../../src/service/message-ids.js';

const id = fc.oneof(
  fc.nat({ max: 300 }).map(String),
  fc.bigInt({ min: 0n, max: 2n ** 53n + 5n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.bigInt({ min: 2n ** 63n, max: 2n ** 63n + 40n }).map(String),
  fc.nat({ max: 40 }).map((high) => String(BigInt(high) * 2n ** 32n)),
);

describe('the index of message ids', () => {
  it('finds what a map finds, tells doubles, and follows messages into another order', () => {
    fc.assert(
      fc.property(
        fc.array(id, { maxLength: 1_500 }),
        fc.array(id, { maxLength: 50 }),
        fc.nat(),
        (given, others, turn) => {
          const columns = allocateColumns(given.length);
          const ids = createMessageIds(() => columns);
          const known = new Map<string, number>();
          for (const one of given) {
            columns.number[known.size] = numberOfId(one);
            expect(ids.add(one, known.size)).toBe(!known.has(one));
            if (!known.has(one)) known.set(one, known.size);
          }
          for (const one of [...given, ...others]) expect(ids.find(one)).toBe(known.get(one));
          for (const [one, index] of known) expect(ids.idAt(index)).toBe(one);

          const { size } = known;
          const order = Uint32Array.from({ length: size }, (_, at) => (at + turn) % size);
          const arranged = allocateColumns(size);
          for (const [to, from] of order.entries()) arranged.number[to] = columns.number[from]!;
          const moved = ids.arrange(() => arranged, order);
          for (const [to, from] of order.entries()) {
            expect(moved.idAt(to)).toBe(ids.idAt(from));
            expect(moved.find(ids.idAt(from))).toBe(to);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('takes texts that are no ids for none', () => {
    const columns = allocateColumns(1);
    const ids = createMessageIds(() => columns);
    columns.number[0] = 7;
    ids.add('7', 0);
    for (const text of ['07', ' 7', '7.0', '0x7', '7e0', '-7', '', 'NaN', 'Infinity'])
      expect(ids.find(text)).toBeUndefined();
    expect(ids.find('7')).toBe(0);
  });
});
