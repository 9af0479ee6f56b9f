/** The wording of a plan: what changes, what is not sent, and why nothing is written. */
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { collections } from '../../platform/loader/part-form.js';
import { afterWrites } from '../../review/apply/before.js';
import type { LiveParts } from '../../review/apply/parts.js';
import type { Performed } from '../../review/apply/perform.js';
import type { Plan, Refusal, Unsent } from '../../review/apply/plan.js';
import { platformChanges } from '../../review/compare/platform-changes.js';
import { changeClauses } from '../diff/changes.js';
import {
  type Group,
  heading,
  list,
  listed,
  name,
  paragraph,
  plain,
  title,
  type Words,
  words,
} from '../document/document.js';
import { counted, escapeText } from '../terminal/text.js';

const quote = (text: string) => `\`${escapeText(text)}\``;

/** Returns a plan as a document: what changes, what is not sent, and the order of the writes. */
export function planDocument(plan: Plan, ruleSet: RuleSet, live: LiveParts, label: string): readonly Group[] {
  const changes = platformChanges({ rules: afterWrites(plan.writes, live), against: live });
  const clauses = changeClauses(changes, ruleSet);
  const unsent = unsentClauses(plan.unsent, ruleSet);
  const advice = ruleSet.semantics === undefined ? [] : [paragraph(readingsAdvice, 'faint')];
  return [
    [title(words`plan for ${plain(label)}`), ...(clauses.length === 0 ? [paragraph('nothing to do')] : list(clauses))],
    unsent.length === 0 ? [] : [heading('not sent'), ...list(unsent), ...advice],
    clauses.length === 0 ? [] : [paragraph(orderWords(plan))],
  ];
}

/**
 * Describes the number of writes, and which of them may leave a gap between the old and the new
 * rules.
 */
function orderWords({ writes, gaps }: Plan): Words {
  const order = `${counted(writes.length, 'write')}, in an order that leaves no gap`;
  if (gaps.length === 0) return order;
  const gapNames = listed(gaps, 3, ({ kind, id }) => words`${kind} ${name(id)}`);
  return words`${order} but for ${gapNames}: until these are written, messages may pass that old and new rules stop`;
}

/** Describes what a plan does not send. */
function unsentClauses(unsent: readonly Unsent[], { semantics = {}, comments = {} }: RuleSet): Words[] {
  const readings = Object.keys(semantics).join(', ');
  const noted = Object.keys(comments).length;
  return [
    ...unsent.map(({ kind, id, why, fields = [] }): Words => {
      const title = words`${kind} ${name(id)}`;
      if (why === 'delete') return words`${title} is gone from the rules, and is deleted with --delete only`;
      if (why === 'exceptions') return words`${title}, since only exceptions name it, which the platform does not have`;
      if (fields.length === 0) return words`${title} is built in, and is not deleted`;
      const reason = why === 'built-in' ? 'which is built in' : 'which the platform does not take';
      return words`${fields.join(', ')} of ${title}, ${reason}`;
    }),
    ...(readings === '' ? [] : [words`readings (${plain(readings)}), which the platform does not have`]),
    ...(noted > 0 ? [`comments of ${counted(noted, 'list')}`] : []),
  ];
}

/** Advice for rules that need something that the platform does not have. */
const readingsAdvice =
  'rules that need readings: a rule of category `custom-api` on the platform that calls `sluice moderate`, see docs/changing-rules.md';

/** Describes why nothing is written. */
export function refusalWords(refusal: Refusal): string {
  switch (refusal.code) {
    case 'changed-there':
      return `${refusal.kind} ${quote(refusal.id)} was changed on the platform since the rules were pulled; pull it, or add --overwrite`;
    case 'deleted-there':
      return `${refusal.kind} ${quote(refusal.id)} was deleted on the platform since the rules were pulled; --overwrite creates it again`;
    case 'never-pulled':
      return `${refusal.kind} ${quote(refusal.id)} is otherwise on the platform, and these rules were never pulled from it; pull them, or add --overwrite`;
    case 'limit':
      return `the platform would refuse ${refusal.kind} ${quote(refusal.id)}: ${refusal.detail}`;
    case 'too-many':
      return `the platform takes ${refusal.most} ${collections[refusal.kind]} beside its own, and there would be more`;
    case 'no-list':
      return `rule ${quote(refusal.ruleId)} would name keyword list ${quote(refusal.id)}, which is not there`;
    case 'malformed':
      return refusal.detail;
  }
}

/** Describes how many writes were made, and why no more. */
export function stoppedWords({ done, stopped }: Performed, all: number): string {
  if (stopped === undefined) return '';
  const { kind, id } = stopped.write;
  const title = `${kind} ${quote(id)}`;
  const error = stopped.why === 'failed' && stopped.error instanceof Error ? `: ${stopped.error.message}` : '';
  const why = {
    changed: `${title} was changed by someone else in the meantime`,
    'not-taken': `the platform has ${title} otherwise than it was sent`,
    failed: `${title} could not be written${error}`,
    interrupted: 'interrupted',
  }[stopped.why];
  return `${done} of ${all} writes are done, ${all - done} are not: ${why}; the same command goes on`;
}
