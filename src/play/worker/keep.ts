/** Makes the files for download: the rule set, and the tried message as a golden case. */
import type { Decision } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { caseOf } from '../../review/cases/new-case.js';
import type { PlayRules } from '../handler.js';

interface Kept {
  readonly ruleSet: PlayRules;
  readonly message: MessageDraft;
  readonly scores: readonly Scores[];
  readonly decision: Decision;
}

/** Returns the rule set as a JSON file, or a golden case as a line. */
export function keep(form: 'json' | 'case', { ruleSet, message, scores, decision }: Kept): Blob | string {
  // Notices are about the files that were opened.
  const { notices: _, ...rules } = ruleSet;
  if (form === 'json') return new Blob([`${JSON.stringify(rules, null, 2)}\n`], { type: 'application/json' });
  const name = `${decision.verdict}: ${(message.data?.text ?? message.id ?? 'message').slice(0, 60)}`;
  return `${JSON.stringify(caseOf({ message, media: scores, decision, name }, 1))}\n`;
}
