import { compileFilter } from '../compile/filter.js';
import { IssueLog } from '../compile/issue.js';
import type { Fields } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { UsageError } from '../errors.js';
import type { Semantics } from '../semantics.js';
import { askFilter } from './filters.js';

/**
 * Who is allowed unseen: the reading `exempt`. A list of filters exempts whoever any one of them holds for; one that the
 * message cannot answer exempts nobody. Throws `UsageError` for a filter that cannot be asked.
 */
export function createExemption(exempt: Semantics['exempt']): (message: Fields) => boolean {
  if (typeof exempt === 'function') return (message) => exempt(message as MessageDraft) === true;
  const filters = exempt.map((filter, index) => {
    const log = new IssueLog();
    const check = compileFilter(filter, { index }, log);
    if (check === undefined) throw new UsageError(`reading \`exempt\`: filter ${index + 1} ${log.issues[0]?.detail}`);
    return check;
  });
  return (message) => filters.some((filter) => askFilter(filter, message) === 'holds');
}
