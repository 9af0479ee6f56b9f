/** The words of a plan: what changes, what is not sent, and why nothing is written. */
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { bodyOf, collections, type PartKind } from '../../platform/loader/part-form.js';
import type { Write } from '../../review/apply/order.js';
import { type LiveParts, partsById } from '../../review/apply/parts.js';
import type { Performed } from '../../review/apply/perform.js';
import type { Plan, Refusal, Unsent } from '../../review/apply/plan.js';
import { describeChange } from '../../review/compare/describe-change.js';
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

/** Returns a plan as a document: what changes, what is not sent, and in which order the writes are. */
export function planDocument(plan: Plan, ruleSet: Partial<RuleSet>, live: LiveParts, label: string): readonly Group[] {
  const clauses = planClauses(plan, ruleSet, live);
  const unsent = unsentClauses(plan.unsent, ruleSet);
  const advice = ruleSet.semantics === undefined ? [] : [paragraph(readingsAdvice, 'faint')];
  return [
    [title(words`plan for ${plain(label)}`), ...(clauses.length === 0 ? [paragraph('nothing to do')] : list(clauses))],
    unsent.length === 0 ? [] : [heading('not sent'), ...list(unsent), ...advice],
    clauses.length === 0 ? [] : [paragraph(orderWords(plan))],
  ];
}

/** Describes what a plan changes on the platform, in the words of `diff`, one clause each. */
function planClauses({ writes }: Plan, ruleSet: Partial<RuleSet>, live: LiveParts): Words[] {
  const sideOf = (changes: readonly Write[]) => {
    const partsOf = (kind: PartKind) => {
      const parts = partsById(live, kind);
      for (const { kind: own, id, after } of changes) {
        if (own !== kind) continue;
        if (after === undefined) parts.delete(id);
        else parts.set(id, after);
      }
      return [...parts.values()].map((part) => bodyOf(kind, part));
    };
    return { rules: partsOf('rule'), lists: partsOf('list') } as Pick<RuleSet, 'rules' | 'lists'>;
  };
  const [against, rules] = [sideOf([]), sideOf(writes)];
  return changeClauses(describeChange({ rules, against }), {
    missing: [],
    truncated: false,
    revision: '',
    ...ruleSet,
    ...rules,
  });
}

/** Describes how many writes there are, and for which rules there is a moment between the old and the new. */
function orderWords({ writes }: Plan): Words {
  const replaced = writes.filter(({ kind, before, after }) => kind === 'rule' && before && after);
  const order = `${counted(writes.length, 'write')}, in an order that leaves no gap`;
  if (replaced.length === 0) return order;
  return words`${order} but for ${listed(replaced, 3, ({ id }) => name(id))}, each replaced by one write`;
}

/** Describes what a plan does not send. */
function unsentClauses(unsent: readonly Unsent[], { semantics = {}, comments = {} }: Partial<RuleSet>): Words[] {
  const readings = Object.keys(semantics).join(', ');
  const noted = Object.keys(comments).length;
  return [
    ...unsent.map(({ kind, id, why, fields = [] }): Words => {
      const part = words`${kind} ${name(id)}`;
      if (why === 'delete') return words`${part} is gone from the rules, and is deleted with --delete only`;
      if (fields.length === 0) return words`${part} is built in, and is not deleted`;
      const reason = why === 'built-in' ? 'which is built in' : 'which the platform does not take';
      return words`${fields.join(', ')} of ${part}, ${reason}`;
    }),
    ...(readings === '' ? [] : [words`readings (${plain(readings)}), which the platform does not have`]),
    ...(noted > 0 ? [`comments of ${counted(noted, 'list')}`] : []),
  ];
}

/** The way for rules that need what the platform does not have. */
const readingsAdvice =
  'rules that need readings: a rule of category `custom-api` on the platform that calls `sluice moderate`, see docs/going-live.md';

/** Describes why nothing is written. */
export function refusalWords(refusal: Refusal): string {
  switch (refusal.code) {
    case 'changed-there':
      return `${refusal.kind} ${quote(refusal.id)} was changed on the platform since the rules were pulled; pull it, or add --overwrite`;
    case 'deleted-there':
      return `${refusal.kind} ${quote(refusal.id)} was deleted on the platform since the rules were pulled; --overwrite creates it again`;
    case 'window': {
      const part = `${refusal.kind} ${quote(refusal.id)}`;
      const when =
        refusal.why === 'gone-first'
          ? `${part} would be deleted before the new parts are created, since the platform has no room for both`
          : `${part} would lose terms before it gains others, since the platform takes no list with both`;
      return `${when}; until then what it stopped is let through; --overwrite goes on`;
    }
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

/** Describes how far the writes came, and why no further. */
export function stoppedWords({ done, stopped }: Performed, all: number): string {
  if (stopped === undefined) return '';
  const { kind, id } = stopped.write;
  const part = `${kind} ${quote(id)}`;
  const error = stopped.why === 'failed' && stopped.error instanceof Error ? `: ${stopped.error.message}` : '';
  const why = {
    changed: `${part} was changed by someone else in the meantime`,
    'not-taken': `the platform has ${part} otherwise than it was sent`,
    failed: `${part} could not be written${error}`,
    interrupted: 'interrupted',
  }[stopped.why];
  return `${done} of ${all} writes are done, ${all - done} are not: ${why}; the same command goes on`;
}
