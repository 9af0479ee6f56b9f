/** List moderation rules, get one, and get a keyword list (§4.7, §4.8). */
import * as z from 'zod';
import { limitParameter } from '../../contract/message-query.js';
import { problems } from '../errors.js';
import { readQuery } from '../request.js';
import type { OperationHandler } from './operation.js';

/** The page of list moderation rules. The document shows a 50 and states no bounds (§8); so those of §8 hold here as well. */
export const ruleLimit = 50;

/** The query of list moderation rules, of which the document shows nothing. */
export const ruleParameters = {
  limit: limitParameter(1, 1000, 'Records to fetch. The document states no bounds (§4.7).'),
};
const ruleQuerySchema = z.object(ruleParameters).partial();

export const listRules: OperationHandler<'listRules'> = ({ search }, { moderation }) => {
  const { limit = ruleLimit } = readQuery(ruleQuerySchema, search);
  const data = moderation.rules.slice(0, limit);
  return { data, meta: { current: { limit, count: data.length } } };
};

/** §4.8 documents a keyword list as the answer, live platforms answer with the rule: a list of that id goes first. */
export const getRule: OperationHandler<'getRule'> = ({ path: { ruleId } }, { moderation }) => {
  const data = moderation.listById.get(ruleId) ?? moderation.ruleById.get(ruleId);
  if (data === undefined) throw problems.noSuchRule(ruleId);
  return { data };
};

export const getKeywordList: OperationHandler<'getKeywordList'> = ({ path: { listId } }, { moderation }) => {
  const data = moderation.listById.get(listId);
  if (data === undefined) throw problems.noSuchList(listId);
  return { data };
};
