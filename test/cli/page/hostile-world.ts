import { createExamples, type ExampleContent } from '../../../src/audit/count/examples.js';
import { createSummary } from '../../../src/audit/count/summary.js';
import { buildReport } from '../../../src/audit/keep/audit-report.js';
import type { MessageInput } from '../../../src/cli/message-source.js';
import type { ReportInput } from '../../../src/cli/page/rule-rows.js';
import { createEngine } from '../../../src/engine/engine.js';
import { defaultSemantics, type Semantics } from '../../../src/engine/semantics.js';
import type { MessageDraft } from '../../../src/platform/contract/message-draft.js';
import type { RuleSet } from '../../../src/platform/contract/rule-set.js';

/**
 * An audit in which everything that others write is hostile: names, ids, terms, patterns, texts,
 * senders.
 */

const condition = {
  ...{ id: 1, isKeywordsReferencePresent: false, isMediaPresent: false },
  ...{ entity: 'message', operand: 'text', category: 'word', operator: 'contains' },
};

/** Sets a title that the test looks for when it runs. */
const attack = (name: string) => `<script>document.title="${name}"</script>`;

const image = '"><img src=x onerror=document.title="attribute">';
const rightToLeft = 'שלום עולם \u{202e}evil\u{202c} مرحبا';

const rules = [
  {
    id: attack('id'),
    name: attack('name'),
    action: ['blockMessage'],
    conditions: [{ ...condition, value: ['moron', attack('term')] }],
  },
  {
    id: image,
    name: `${image}' onload='x'`,
    action: ['dropMessage', attack('action')],
    conditions: [{ ...condition, category: 'pattern', value: ['</script>|&lt;b&gt;', '[0-9]{3}'] }],
  },
  {
    id: 'long',
    name: 'x'.repeat(10_000),
    action: ['blockMessage'],
    conditions: [{ ...condition, isKeywordsReferencePresent: true, value: [`</style>${image}`] }],
  },
  {
    id: 'rtl',
    name: rightToLeft,
    action: ['blockMessage'],
    conditions: [{ ...condition, value: ['עולם', '\u{2028}line'] }],
  },
  {
    id: 'broken',
    name: '</title></head>',
    action: ['blockMessage'],
    conditions: [{ ...condition, category: 'pattern', value: [`([${attack('detail')}`] }],
  },
  { id: 'silent', name: '<!--', action: ['blockMessage'], conditions: [{ ...condition, value: ['never'] }] },
];
const lists = [{ id: `</style>${image}`, category: 'word', searchTerms: ['y'.repeat(400), '😀'] }];

export const hostileRuleSet = {
  rules,
  lists,
  missing: [{ listId: image, reason: attack('reason') }],
  truncated: false,
  revision: 'f'.repeat(64),
} as unknown as RuleSet;

export const harmless = { rules: [], lists: [], missing: [], truncated: false, revision: '0'.repeat(64) } as RuleSet;

/** One message a day from 1 May 2026. */
export function hostileMessages(): MessageDraft[] {
  const texts = [
    `moron ${attack('text')} moron`,
    `${image} 123`,
    '</script><script>alert(1)</script> &lt;b&gt;',
    `${'y'.repeat(400)} 😀\u{d800}`,
    'שלום עולם \u{202e}txet\u{202c}',
    'a \u{2028}line\u{2029} \u{0}\u{1b}[31m',
    'hello',
    'w'.repeat(3_000),
  ];
  return texts.map((text, index) => ({
    ...{ id: index % 3 === 0 ? `${index}${attack('message')}` : String(index), category: 'message', type: 'text' },
    ...{ sender: index % 2 === 0 ? attack('sender') : 'z'.repeat(500), conversationId: image },
    ...{ sentAt: 1_777_593_600 + index * 86_400, data: { text } },
  }));
}

/** The input of a report on messages, judged by rules. */
export function reportOf(
  messages: readonly MessageDraft[],
  { ruleSet = hostileRuleSet, content = 'text' as ExampleContent, semantics = {} as Partial<Semantics> } = {},
): ReportInput {
  const engine = createEngine(ruleSet, { ...defaultSemantics, ...semantics });
  const { precedence = defaultSemantics.precedence } = semantics;
  const summary = createSummary({ by: ['sender', 'conversation'], precedence });
  const examples = createExamples(content);
  for (const message of messages) {
    const entry = { message, decision: engine.explain(message) };
    summary.add(entry);
    examples.add(entry);
  }
  const bad = { first: [{ line: 3, reason: image }], count: messages.length > 0 ? 1 : 0 };
  const input = {
    engine,
    ruleSet,
    runningRules: ruleSet.rules,
    facts: { source: 'a' },
  } as unknown as MessageInput;
  const audit = buildReport(
    { counts: { summary: summary.toJSON() }, partial: false, bad },
    { ...input, scoresUpToOne: undefined },
  );
  return {
    audit,
    examples: examples.toJSON(),
    content,
    ruleSet,
    version: '0.0.0',
    from: image,
    rulesFrom: image,
    command: `sluice audit --shadow '${image}'`,
  };
}
