/** Reads of rules and keyword lists (§4.7, §4.8). */
import * as z from 'zod';
import { ruleLimit, ruleParameters } from '../../contract/message-query.js';
import { problems } from '../errors.js';
import { readQuery } from '../request.js';
import type { OperationHandler } from './operation.js';

const ruleQuerySchema = z.object(ruleParameters).partial();

export const listRules: OperationHandler<'listRules'> = ({ search }, { moderation }) => {
  const { limit = ruleLimit } = readQuery(ruleQuerySchema, search);
  return pageOf(moderation.rules.all, limit);
};

export const listKeywordLists: OperationHandler<'listKeywordLists'> = ({ search }, { moderation }) => {
  const { limit = ruleLimit } = readQuery(ruleQuerySchema, search);
  return pageOf(moderation.lists.all, limit);
};

function pageOf(rows: readonly object[], limit: number) {
  const data = rows.slice(0, limit);
  return { data, meta: { current: { limit, count: data.length } } };
}

/**
 * Answers with a list of that id first: §4.8 documents a keyword list, and live platforms answer
 * with the rule.
 */
export const getRule: OperationHandler<'getRule'> = ({ path: { ruleId } }, { moderation }) => {
  const data = moderation.lists.get(ruleId) ?? moderation.rules.get(ruleId);
  if (data === undefined) throw problems.noSuchRule(ruleId);
  return { data };
};

export const getKeywordList: OperationHandler<'getKeywordList'> = ({ path: { listId } }, { moderation }) => {
  const data = moderation.lists.get(listId);
  if (data === undefined) throw problems.noSuchList(listId);
  return { data };
};
