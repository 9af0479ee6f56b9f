import { HttpError } from '../../errors.js';
import { readRuleSetFile } from '../../loader/rule-set-file.js';
import type { RuleSource } from '../../loader/rule-source.js';

/** The file or folder of a rule set as a source. */
export async function fixedSource(path: string): Promise<RuleSource> {
  const { rules, lists, semantics, truncated } = await readRuleSetFile(path);
  return {
    rules: {
      list: async () => ({
        data: rules,
        meta: truncated ? { current: { limit: rules.length, count: rules.length } } : {},
      }),
      get: async (id) => {
        const list = lists.find((one) => one.id === id);
        if (list === undefined) throw new HttpError('the rule set file', 'has no such list', { status: 404 });
        return list;
      },
    },
    semantics: async () => semantics,
  };
}
