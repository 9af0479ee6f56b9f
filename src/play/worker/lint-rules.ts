/**
 * Lints the rules while somebody types, in a separate worker: a check of a long list takes seconds.
 */
import { SluiceError } from '../../foundation/errors.js';
import { parseTermList } from '../../platform/loader/term-list.js';
import type { Finding } from '../../review/lint/finding.js';
import { lintRuleSet } from '../../review/lint/lint-rule-set.js';
import type { PlayRules } from '../handler.js';
import { lineAt, listDoc } from './draft.js';
import type { PlacedFinding } from './protocol.js';

/** Rules with the texts in which they are edited. */
export interface Written {
  readonly ruleSet: PlayRules;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Returns the findings of lint, each with its line; no findings for rules that an engine refuses,
 * whose error the page shows already.
 */
export async function lintWritten({ ruleSet, texts }: Written): Promise<readonly PlacedFinding[]> {
  const lines = new Map<string, readonly number[]>();
  const lineOfTerm = (doc: string, index: number): number => {
    const text = texts.get(doc)!;
    if (!lines.has(doc)) lines.set(doc, parseTermList(text, doc).lines);
    return lineAt(text, lines.get(doc)![index] ?? 0);
  };
  try {
    const { findings } = await lintRuleSet(ruleSet as Parameters<typeof lintRuleSet>[0]);
    return findings.map((finding) => ({ ...finding, ...placeOf(finding, texts, lineOfTerm) }));
  } catch (error) {
    if (error instanceof SluiceError) return [];
    throw error;
  }
}

function placeOf(
  { listId, ruleId, index, pattern, term }: Finding,
  texts: Written['texts'],
  lineOfTerm: (doc: string, index: number) => number,
): Pick<PlacedFinding, 'doc' | 'line'> {
  const doc = listDoc(listId ?? '');
  if (listId !== undefined && texts.has(doc)) return { doc, line: index === undefined ? 0 : lineOfTerm(doc, index) };
  const text = texts.get('rules') ?? '';
  if (ruleId === undefined) return { doc: 'rules', line: 0 };
  const start = Math.max(0, text.indexOf(`"id": ${JSON.stringify(ruleId)}`));
  const written = pattern ?? term;
  const found = written === undefined ? -1 : text.indexOf(JSON.stringify(written), start);
  // The conditions of a rule follow its id. The id of the next rule is a string, too; ids of
  // conditions are numbers.
  const end = text.indexOf('"id": "', start + 1);
  return { doc: 'rules', line: lineAt(text, found >= 0 && (end < 0 || found < end) ? found : start) };
}
