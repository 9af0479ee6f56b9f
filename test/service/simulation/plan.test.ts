import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/foundation/errors.js';
import { type FaultPlan, startService } from '../../../src/platform/service/index.js';
import { readShortFault, readShortFaults } from '../../../src/platform/service/simulation/schema.js';

describe('a plan of faults', () => {
  it.each<readonly [unknown, string]>([
    [null, 'faults: `the whole value` must be an object with `faults`'],
    ['reset', 'faults: `the whole value` must be an object with `faults`'],
    [[], 'faults: `the whole value` must be an object with `faults`'],
    [{ fault: [] }, 'faults: `fault` is not a known field; take it out'],
    [{ seed: 1.5 }, 'faults: `seed` must be a whole number'],
    [{ controlHeader: 'yes' }, 'faults: `controlHeader` must be `true` or `false`'],
    [{ faults: { kind: 'reset' } }, 'faults: `faults` must be an array of faults, such as `[{ "kind": "reset" }]`'],
    [{ faults: ['reset'] }, 'faults: `faults[0]` must be an object'],
    [{ faults: [{}] }, 'faults: `faults[0].kind` must be one of `latency`, `reset`'],
    [{ faults: [{ kind: 'RESET' }] }, 'faults: `faults[0].kind` must be one of `latency`, `reset`'],
    [{ faults: [{ kind: 'reset' }, { kind: 'latency' }] }, 'faults: `faults[1].ms` must be a whole number of milli'],
    [{ faults: [{ kind: 'latency', ms: -1 }] }, 'faults: `faults[0].ms` must be a whole number of milliseconds'],
    [{ faults: [{ kind: 'latency', ms: 2 ** 31 }] }, 'faults: `faults[0].ms` must be a whole number of milliseconds'],
    [{ faults: [{ kind: 'latency', ms: 1, jitterMs: '5' }] }, 'faults: `faults[0].jitterMs` must be a whole number'],
    [{ faults: [{ kind: 'reset', at: 'tail' }] }, 'faults: `faults[0].at` must be one of `head`, `body`'],
    [{ faults: [{ kind: 'reset', ms: 1 }] }, 'faults: `faults[0].ms` is not a known field; take it out'],
    [{ faults: [{ kind: 'status', status: 200 }] }, 'faults: `faults[0].status` must be a status from 400 to 599'],
    [{ faults: [{ kind: 'html', status: 101 }] }, 'faults: `faults[0].status` must be a status from 200 to 599'],
    [{ faults: [{ kind: 'content-type', type: 'a\r\nb: c' }] }, 'faults: `faults[0].type` must be a content type'],
    [
      { faults: [{ kind: 'rate-limited', retryAfter: 'a\nb' }] },
      'faults: `faults[0].retryAfter` must be a whole number',
    ],
    [{ faults: [{ kind: 'drip', everyMs: 0 }] }, 'faults: `faults[0].everyMs` must be a whole number of milliseconds'],
    [{ faults: [{ kind: 'drip', bytes: 0 }] }, 'faults: `faults[0].bytes` must be a whole number of bytes, 1 or more'],
    [{ faults: [{ kind: 'never', rate: 2 }] }, 'faults: `faults[0].rate` must be a share of the requests, 1 or less'],
    [{ faults: [{ kind: 'never', rate: '1' }] }, 'faults: `faults[0].rate` must be a share of the requests, a number'],
    [{ faults: [{ kind: 'never', after: -1 }] }, 'faults: `faults[0].after` must be a whole number of requests, 0 or'],
    [{ faults: [{ kind: 'never', count: 0 }] }, 'faults: `faults[0].count` must be a whole number of requests, 1 or'],
    [{ faults: [{ kind: 'never', method: 'PATCH' }] }, 'faults: `faults[0].method` must be one of `GET`, `PUT`'],
    [{ faults: [{ kind: 'never', path: '/v3/messages' }] }, 'faults: `faults[0].path` must be one of `/users/{uid}/'],
    [
      { faults: [{ kind: 'never', path: '/messages', method: 'PUT' }] },
      'faults: `faults[0].method` must be a method that an operation of this `path` has',
    ],
  ])('%j is refused', async (plan, words) => {
    const started = startService({ data: {}, faults: plan as FaultPlan });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(words);
  });

  it('that can work is taken', async () => {
    const plans: FaultPlan[] = [{}, { seed: -7, controlHeader: true, faults: [] }, { faults: undefined }];
    for (const faults of plans) await (await startService({ data: {}, faults })).close();
  });
});

describe('the short form', () => {
  it.each([
    ['reset', { kind: 'reset' }],
    ['reset=body', { kind: 'reset', at: 'body' }],
    ['latency=200', { kind: 'latency', ms: 200 }],
    ['latency=200,jitterMs=50', { kind: 'latency', ms: 200, jitterMs: 50 }],
    [' status = 503 , rate=0.1,path=/messages', { kind: 'status', status: 503, rate: 0.1, path: '/messages' }],
    ['truncate=0,method=GET,after=2,count=3', { kind: 'truncate', keep: 0, method: 'GET', after: 2, count: 3 }],
    ['rate-limited=15', { kind: 'rate-limited', retryAfter: 15 }],
    ['rate-limited=soon', { kind: 'rate-limited', retryAfter: 'soon' }],
    ['content-type=text/html; charset=x', { kind: 'content-type', type: 'text/html; charset=x' }],
    ['html=502', { kind: 'html', status: 502 }],
    ['drip=5,bytes=1', { kind: 'drip', everyMs: 5, bytes: 1 }],
  ])('%j', (written, fault) => {
    expect(readShortFault(written, '--fault')).toEqual(fault);
  });

  it('takes several', () => {
    expect(readShortFaults('never; latency=5,rate=0.5', '--fault')).toEqual([
      { kind: 'never' },
      { kind: 'latency', ms: 5, rate: 0.5 },
    ]);
  });

  it.each([
    ['latency', '--fault: `ms` must be a whole number of milliseconds from 0 to 2147483647'],
    ['latency=soon', '--fault: `ms` must be a whole number of milliseconds'],
    ['never=5', '--fault: `never` takes no value; write the kind alone'],
    ['nothing=5', '--fault: `kind` must be one of `latency`'],
    ['constructor=5', '--fault: `kind` must be one of `latency`'],
    ['reset,body', '--fault: write fields behind the kind as `name=value`'],
    ['latency=5,ms=6', '--fault: `ms` must be given once'],
    ['reset,kind=never', '--fault: `kind` must be given once'],
    ['reset,rat=0.1', '--fault: `rat` is not a known field'],
    ['reset;', '--fault: `kind` must be one of'],
  ])('%j is refused', (written, words) => {
    expect(() => readShortFaults(written, '--fault')).toThrow(UsageError);
    expect(() => readShortFaults(written, '--fault')).toThrow(words);
  });
});
