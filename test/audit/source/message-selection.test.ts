import { describe, expect, it } from 'vitest';
import { inputsSchema } from '../../../src/audit/keep/manifest.js';
import {
  filterFields,
  listCallOf,
  type MessageFilters,
  selectionOf,
} from '../../../src/audit/source/message-selection.js';

const filters: Required<MessageFilters> = { conversation: 'c', since: 100, until: 200, onBehalfOf: 'ana' };

describe('filters of messages', () => {
  it('are all in the call of list messages, and in the inputs of an audit', () => {
    expect(Object.keys(filters).sort()).toEqual(Object.keys(filterFields).sort());
    const none = JSON.stringify(listCallOf({}));
    for (const [name, value] of Object.entries(filters)) {
      expect(JSON.stringify(listCallOf({ [name]: value })), name).not.toBe(none);
      expect(inputsSchema.shape, name).toHaveProperty(name);
    }
  });

  it('are parameters of a query and the acting user', () => {
    const { signal } = new AbortController();
    const [query, options] = listCallOf(filters, { limit: 50 }, signal);
    expect(query).toEqual({ conversationId: 'c', fromTimestamp: 100, toTimestamp: 200, limit: 50 });
    expect(options).toEqual({ onBehalfOf: 'ana', signal });
    expect(options.signal).toBe(signal);
  });

  it('have a beginning beside an end, which works beside one only, and give way to a window', () => {
    expect(listCallOf({ until: 200 })[0]).toEqual({ fromTimestamp: 1, toTimestamp: 200 });
    const window = { fromTimestamp: 149, toTimestamp: 151 };
    expect(listCallOf(filters, window)[0]).toEqual({ conversationId: 'c', ...window });
  });

  it('select messages of a file: of a conversation, and of whole seconds, both inclusive', () => {
    const message = { conversationId: 'c', sentAt: 200.9 };
    expect(selectionOf(filters, message)).toBe('selected');
    expect(selectionOf(filters, { ...message, sentAt: 201 })).toBe('other');
    expect(selectionOf(filters, { ...message, sentAt: 99.9 })).toBe('other');
    expect(selectionOf(filters, { ...message, conversationId: 'd' })).toBe('other');
    expect(selectionOf(filters, { conversationId: 'c' })).toBe('undated');
    expect(selectionOf(filters, { ...message, sentAt: 200_000_000_000 })).toBe('undated');
    expect(selectionOf(filters, { conversationId: 'd' })).toBe('other');
    expect(selectionOf({ conversation: 'c' }, { conversationId: 'c' })).toBe('selected');
  });
});
