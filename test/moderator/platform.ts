/**
 * A platform in memory whose rules, lists and faults a test sets, and a folder with moderators that
 * end with the test.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import {
  createModerator,
  HttpError,
  type KeywordList,
  type Moderator,
  type ModeratorOptions,
  NetworkError,
  type Rule,
  type RuleSource,
} from '../../src/index.js';

export const rule: Rule = {
  id: 'r',
  action: ['blockMessage'],
  conditions: [{ operand: 'text', category: 'word', isKeywordsReferencePresent: true, value: ['swears'] }],
};
export const lists = (...terms: string[]): Record<string, KeywordList> => ({
  swears: { id: 'swears', searchTerms: terms },
});

export interface PlatformState {
  rules: Rule[];
  lists: Record<string, KeywordList>;
  semantics: Readonly<Record<string, unknown>> | undefined;
  /** Every request is refused. */
  down: boolean;
  /** Status of get rule. */
  listStatus: number;
  /** Awaited by list rules, whatever the signal says. */
  gate: Promise<void> | undefined;
  /** Awaited by get rule, whatever the signal says. */
  listGate: Promise<void> | undefined;
  /**
   * Largest page of list rules; a larger limit is a 400 when `refusesLimits`, else it is ignored.
   */
  pageLimit: number;
  refusesLimits: boolean;
  loads: number;
}

export const never = new Promise<void>(() => {});

export function platform(changes: Partial<PlatformState> = {}) {
  const state: PlatformState = {
    rules: [rule],
    lists: lists('darn'),
    semantics: undefined,
    down: false,
    listStatus: 200,
    gate: undefined,
    listGate: undefined,
    pageLimit: 1000,
    refusesLimits: false,
    loads: 0,
    ...changes,
  };
  const source: RuleSource = {
    rules: {
      list: async ({ signal, limit = state.pageLimit } = {}) => {
        state.loads++;
        await state.gate;
        if (state.gate === undefined) signal?.throwIfAborted();
        const operation = 'GET /moderation/rules';
        if (state.down) throw new NetworkError(operation, 'the platform refused the connection');
        if (limit > state.pageLimit && state.refusesLimits)
          throw new HttpError(operation, 'bad limit', { status: 400 });
        const data = state.rules.slice(0, Math.min(limit, state.pageLimit));
        return { data, meta: { current: { limit: Math.min(limit, state.pageLimit), count: data.length } } };
      },
      get: async (id) => {
        await state.listGate;
        const operation = 'GET /moderation/rules/{ruleId}';
        if (state.listStatus !== 200) throw new HttpError(operation, 'failed', { status: state.listStatus });
        const list = state.lists[id];
        if (list === undefined) throw new HttpError(operation, 'not found', { status: 404 });
        return list;
      },
    },
    semantics: async () => state.semantics,
  };
  return { state, source };
}

/** A folder, a snapshot in it, and moderators that are closed after each test. */
export function workplace() {
  const place = {
    folder: '',
    snapshotFile: '',
    moderatorOf: async (options: ModeratorOptions): Promise<Moderator> => {
      const moderator = await createModerator(options);
      open.push(moderator);
      return moderator;
    },
  };
  const open: Moderator[] = [];
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'sluice-moderator-'));
    place.snapshotFile = join(place.folder, 'rules.json');
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const moderator of open.splice(0)) await moderator.close();
    rmSync(place.folder, { recursive: true });
  });
  return place;
}
