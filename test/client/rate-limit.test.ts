import { describe, expect, it } from 'vitest';
import { readRateLimit } from '../../src/platform/client/rate-limit.js';

/** Sunday, 06 Nov 2039 08:49:37 GMT. */
const now = Date.UTC(2039, 10, 6, 8, 49, 37);

const second = now / 1000;

describe('Retry-After', () => {
  it.each<[string | string[] | undefined, number | undefined]>([
    ['15', 15_000],
    ['0', 0],
    [' 7 ', 7000],
    ['007', 7000],
    ['Sun, 06 Nov 2039 08:49:52 GMT', 15_000],
    ['Sunday, 06-Nov-39 08:49:52 GMT', 15_000],
    ['Sun Nov  6 08:49:52 2039', 15_000],
    ['Sun, 06 Nov 2039 08:49:37 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['86400', 86_400_000],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['-5', undefined],
    ['1.5', 1500],
    ['0.8', 800],
    ['.8', undefined],
    [String(second + 15), 15_000],
    [`${second + 1}.5`, 1500],
    [String(second - 1), 0],
    ['999999999', 999_999_999_000],
    ['1e3', undefined],
    ['0x10', undefined],
    ['soon 1', undefined],
    ['2039-11-06T08:49:52Z', undefined],
    ['Sun, 06 Nov 2039 08:49:52 +0100', undefined],
    ['Sun, 99 Nov 2039 08:49:52 GMT', undefined],
    ['', undefined],
    ['GMT, 123', 123_000],
    ['5, 120', 120_000],
    [['5', '120'], 120_000],
    [['soon', '5'], 5000],
    [['Sun, 06 Nov 2039 08:49:52 GMT', '5'], 15_000],
    [undefined, undefined],
  ])('%j is a delay of %j ms', (value, wait) => {
    expect(readRateLimit(503, { 'retry-after': value }, now).demandedMs).toBe(wait);
  });

  it('counts a date from the clock of the server when that differs from the local one', () => {
    const headers = { date: 'Sun, 06 Nov 2039 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 2039 08:49:52 GMT' };
    const hour = 3_600_000;
    expect(readRateLimit(503, headers, now + hour).demandedMs).toBe(15_000);
    expect(readRateLimit(503, headers, now - hour).demandedMs).toBe(15_000);
    expect(readRateLimit(503, headers, now + 800).demandedMs).toBe(14_200);
    expect(readRateLimit(503, { ...headers, date: 'yesterday' }, now + 1000).demandedMs).toBe(14_000);
  });
});

describe('X-Rate-Limit-Reset', () => {
  it.each([
    [String(second + 30), 30_000],
    [String(second), undefined],
    [String(second - 1), undefined],
    [String(second + 86_401), undefined],
    [String(now + 30_000), undefined],
    ['30', undefined],
    ['-30', undefined],
    ['soon', undefined],
    ['9'.repeat(30), undefined],
  ])('%s is %j ms away', (value, away) => {
    expect(readRateLimit(200, { 'x-rate-limit-reset': value }, now).reset?.inMs).toBe(away);
  });

  it('counts for a 429 only, and the later of both headers is the delay', () => {
    const headers = { 'retry-after': '15', 'x-rate-limit-reset': String(second + 30) };
    const onlyReset = { 'x-rate-limit-reset': String(second + 30) };
    expect(readRateLimit(429, headers, now).demandedMs).toBe(30_000);
    expect(readRateLimit(503, headers, now).demandedMs).toBe(15_000);
    expect(readRateLimit(429, { ...headers, 'retry-after': '45' }, now).demandedMs).toBe(45_000);
    expect(readRateLimit(429, onlyReset, now).demandedMs).toBe(30_000);
    expect(readRateLimit(503, onlyReset, now).demandedMs).toBeUndefined();
    expect(readRateLimit(429, {}, now).demandedMs).toBeUndefined();
  });
});
