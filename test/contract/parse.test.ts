import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../src/foundation/errors.js';
import { endpoints, type Operation } from '../../src/platform/contract/endpoints.js';
import { fieldPath, parse } from '../../src/platform/contract/parse.js';

function refusal(name: Operation, value: unknown): ShapeError {
  try {
    parse(endpoints[name].response, value, 'here');
  } catch (error) {
    expect(error).toBeInstanceOf(ShapeError);
    return error as ShapeError;
  }
  throw new Error('accepted');
}

describe('fieldPath', () => {
  it.each([
    [[], 'the whole value'],
    [['data', 3, 'conditions', 0, 'value'], 'data[3].conditions[0].value'],
    [[0], '[0]'],
    [['data', 'a key'], 'data["a key"]'],
    [['', 'x'], '[""].x'],
  ])('prints %j as `%s`', (path, written) => {
    expect(fieldPath(path)).toBe(written);
  });
});

describe('parse: errors of responses', () => {
  it.each<[Operation, unknown, string, string]>([
    ['getUser', {}, 'data', 'must be an object'],
    ['getUser', { data: {} }, 'data.uid', 'must be a string'],
    ['getUser', { data: { uid: '' } }, 'data.uid', 'must not be empty'],
    ['getUser', null, 'the whole value', 'must be an object'],
    ['listRules', { data: {} }, 'data', 'must be an array'],
    ['listRules', { data: [{ id: 'a' }] }, 'data[0].conditions', 'must be an array'],
    [
      'listRules',
      { data: [{ id: 'a', conditions: [{ value: [1] }] }] },
      'data[0].conditions[0].value[0]',
      'must be a string',
    ],
    ['getRule', { data: { id: 'a', searchTerms: ['x', 7] } }, 'data.searchTerms[1]', 'must be a string'],
    ['getRule', { data: { id: 'a', conditions: 7, searchTerms: [] } }, 'data.conditions', 'must be an array'],
    ['getRule', { data: 'text' }, 'data', 'must be an object'],
    ['listMessages', { data: [{ id: '1' }, { id: true }] }, 'data[1].id', 'must be'],
    ['listMessages', { data: [], meta: { next: { sentAt: '1' } } }, 'meta.next.sentAt', 'must be a number'],
    ['updateConversation', { data: [{ conversationId: 7 }] }, 'data[0].conversationId', 'must be a string'],
    ['markAsRead', { data: { success: 'yes' } }, 'data.success', 'must be a boolean'],
  ])('%s %j', (name, value, path, words) => {
    const error = refusal(name, value);
    expect(error.path).toBe(path);
    expect(error.message).toContain(`here: ${path.startsWith('the ') ? path : `\`${path}\``} ${words}`);
  });

  it('have no content, wherever the wrong value is', () => {
    const canary = 'private words of a person';
    const wrong = fc.constantFrom<unknown>(canary, [canary], { text: canary }, [[canary]]);
    const field = fc.constantFrom(
      ...['id', 'uid', 'guid', 'data', 'conditions', 'searchTerms', 'meta', 'sentAt', 'text', 'tags'],
    );
    const operation = fc.constantFrom(...(Object.keys(endpoints) as Operation[]));
    fc.assert(
      fc.property(operation, field, field, wrong, (name, outer, inner, value) => {
        const result = { data: { [outer]: { [inner]: value }, [inner]: value } };
        for (const body of [result, { data: [result.data] }, value]) {
          try {
            parse(endpoints[name].response, body, 'here');
          } catch (error) {
            expect(error).toBeInstanceOf(ShapeError);
            expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(canary);
          }
        }
      }),
    );
  });
});
