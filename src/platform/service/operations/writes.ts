/** Writes of rules and keyword lists, which live platforms take beyond the interface document. */
import { writeLimits } from '../../contract/moderation-writes.js';
import { problems } from '../errors.js';
import type { ModerationRow } from '../rows.js';
import type { ModerationRows } from '../store.js';
import type { OperationHandler } from './operation.js';

/** Fields that the service sets; those of a request are ignored. */
const ownFields = ['active', 'createdAt', 'updatedAt', 'revisionId', 'default'] as const;

export const createRule: OperationHandler<'createRule'> = ({ body }, { moderation }) =>
  create('rule', moderation.rules, body);

export const replaceRule: OperationHandler<'replaceRule'> = ({ path, body }, { moderation }) =>
  replace('rule', moderation.rules, path.ruleId, body);

export const deleteRule: OperationHandler<'deleteRule'> = ({ path }, { moderation }) =>
  remove('rule', moderation.rules, path.ruleId);

export const createKeywordList: OperationHandler<'createKeywordList'> = ({ body }, { moderation }) =>
  create('keyword list', moderation.lists, body);

export const replaceKeywordList: OperationHandler<'replaceKeywordList'> = ({ path, body }, { moderation }) =>
  replace('keyword list', moderation.lists, path.listId, body);

export const deleteKeywordList: OperationHandler<'deleteKeywordList'> = ({ path }, { moderation }) =>
  remove('keyword list', moderation.lists, path.listId);

type Kind = 'rule' | 'keyword list';

function create(kind: Kind, rows: ModerationRows, body: Readonly<Record<string, unknown>> & { readonly id: string }) {
  if (rows.get(body.id) !== undefined) throw problems.alreadyThere(kind, body.id);
  const most = kind === 'rule' ? writeLimits.rules : writeLimits.lists;
  if (rows.all.filter((row) => row.default !== true).length >= most) {
    throw problems.badRequest({
      id: [`is that of one ${kind} too many: there are ${most} without \`default\` already`],
    });
  }
  const row = written(body.id, body, undefined);
  rows.add(row);
  return { data: row };
}

function replace(kind: Kind, rows: ModerationRows, id: string, body: Readonly<Record<string, unknown>>) {
  const old = existing(kind, rows, id);
  if ((body.id ?? id) !== id) throw problems.badRequest({ id: ['must be the id of the path, or left out'] });
  const row = written(id, body, old);
  rows.replace(old, row);
  return { data: row };
}

function remove(kind: Kind, rows: ModerationRows, id: string) {
  rows.replace(existing(kind, rows, id), undefined);
  const name = kind === 'rule' ? 'Rule' : 'Keyword';
  return { data: { success: true, message: `${name} with id ${id} has been deleted successfully.` } };
}

function existing(kind: Kind, rows: ModerationRows, id: string): ModerationRow {
  const row = rows.get(id);
  if (row === undefined) throw kind === 'rule' ? problems.noSuchRule(id) : problems.noSuchList(id);
  return row;
}

/**
 * Returns a row as it is served: the body, and the fields of the service, with a `revisionId` that
 * counts up with each write.
 */
function written(id: string, body: Readonly<Record<string, unknown>>, old: ModerationRow | undefined): ModerationRow {
  const given = Object.fromEntries(
    Object.entries(body).filter(([name]) => !ownFields.some((ownField) => ownField === name)),
  );
  const [, base = `local_${id}`, count = '0'] = /^(.*)_(\d+)$/s.exec(String(old?.revisionId)) ?? [];
  const now = Math.floor(Date.now() / 1_000);
  return {
    id,
    ...given,
    active: true,
    createdAt: old?.createdAt ?? now,
    updatedAt: now,
    revisionId: `${base}_${Number(count) + 1}`,
    ...(old?.default !== undefined && { default: old.default }),
  };
}
