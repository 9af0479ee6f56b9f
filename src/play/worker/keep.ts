/** Files to take away: the rule set as a file or a folder, and the tried message as a golden case. */
import { strToU8, zipSync } from 'fflate';
import type { Decision } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { listFileName } from '../../platform/loader/term-list.js';
import { caseOf } from '../../review/cases/new-case.js';
import type { PlayRules } from '../handler.js';
import { listDoc } from './draft.js';

interface Kept {
  readonly ruleSet: PlayRules;
  readonly texts: ReadonlyMap<string, string>;
  readonly message: MessageDraft;
  readonly scores: readonly Scores[];
  readonly decision: Decision;
}

/** Returns the rule set as a JSON file, the same as a folder in a zip, or a golden case as a line. */
export function keep(
  form: 'json' | 'zip' | 'case',
  { ruleSet, texts, message, scores, decision }: Kept,
): Blob | string {
  if (form === 'case') {
    const name = `${decision.verdict}: ${(message.data?.text ?? message.id ?? 'message').slice(0, 60)}`;
    return `${JSON.stringify(caseOf({ message, media: scores, decision, name }, 1))}\n`;
  }
  if (form === 'json') return new Blob([json(ruleSet)], { type: 'application/json' });
  const { semantics, comments: _, ...whole } = ruleSet;
  const entries: [name: string, content: Uint8Array][] = [];
  const lists = ruleSet.lists.map((list) => {
    const text = texts.get(listDoc(list.id));
    const name = text === undefined ? undefined : listFileName(list.id);
    if (name === undefined) return list;
    entries.push([`lists/${name}`, strToU8(text!)]);
    const { searchTerms: _terms, ...others } = list;
    return others;
  });
  entries.push(['rules.json', strToU8(json({ ...whole, lists }))]);
  if (semantics !== undefined) entries.push(['semantics.json', strToU8(json(semantics))]);
  // A fixed time: the same rules are the same bytes.
  const zipped = zipSync(Object.fromEntries(entries), { mtime: new Date(1980, 0, 1), level: 6 });
  return new Blob([new Uint8Array(zipped)], { type: 'application/zip' });
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
