import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/errors.js';
import { refuseUnknownOptions } from '../src/unknown-options.js';

describe('refuseUnknownOptions', () => {
  const known = ['port', 'host', 'apiKey'];
  const refusal = (given: object) => () => refuseUnknownOptions('startService', given, known);

  it('takes known options, given or not', () => {
    expect(refusal({})).not.toThrow();
    expect(refusal({ port: 1, host: undefined })).not.toThrow();
  });

  it('names the unknown option and the nearest known one, or all of them', () => {
    expect(refusal({ host: 'x', prot: 1 })).toThrow(UsageError);
    expect(refusal({ host: 'x', prot: 1 })).toThrow("startService has no option 'prot'; did you mean 'port'?");
    expect(refusal({ apikey: 'secret' })).toThrow("startService has no option 'apikey'; did you mean 'apiKey'?");
    expect(refusal({ timeoutMs: 1 })).toThrow("startService has no option 'timeoutMs'; it has port, host, apiKey");
    expect(refusal({ [`a\n${'b'.repeat(100)}`]: 1 })).toThrow(/^startService has no option 'a\\nb{58}'; it has /);
  });
});
