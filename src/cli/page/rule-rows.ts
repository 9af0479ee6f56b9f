import type { RuleCount } from '../../audit/count/audit-summary.js';
import type { Example } from '../../audit/count/examples.js';
import { stoppedBy } from '../../audit/count/stopped.js';
import { type StoppedAs, stoppedAs, stoppedNames, stops } from '../../engine/compile/verdicts.js';
import { commentOf } from '../../platform/loader/term-comments.js';
import { actionWord } from '../audit/tables.js';
import { timeWords } from '../day-bins.js';
import { patternName } from '../plain-words.js';
import { counted, formatCount } from '../terminal/text.js';
import { foldedTable } from './folded-table.js';
import { foreign, type Html, html } from './html.js';
import type { ReportInput, ShownCause } from './report-input.js';

/** Causes shown of a rule, and in the ranking of all, open and folded away. */
const most = { ofRule: 15, open: 30, folded: 470 } as const;
/** UTF-16 units of the longest pattern that stands for itself; a longer one has its number before it. */
const shortPattern = 40;

/** The rules that matched, the most stopped messages first: rows with a bar that open into what matched, with examples. */
export function ruleRows({ audit, ruleSet }: ReportInput, causes: readonly ShownCause[]): Html {
  const rules = [...audit.rules].sort((left, right) => stoppedBy(right) - stoppedBy(left));
  const [first] = rules;
  if (first === undefined) return html`<p>No rule matched a message.</p>`;
  const byRule = new Map<string, ShownCause[]>(rules.map(({ ruleId }) => [ruleId, []]));
  for (const cause of causes) byRule.get(cause.ruleId)?.push(cause);
  return html`${rules.map((rule) => ruleRow(rule, byRule.get(rule.ruleId) ?? [], stoppedBy(first), ruleSet))}`;
}

function ruleRow(
  rule: RuleCount,
  causes: readonly ShownCause[],
  largest: number,
  ruleSet: ReportInput['ruleSet'],
): Html {
  const { ruleId, ruleName, actions, shadow, matched, alone, wouldStop } = rule;
  const stopped = stoppedBy(rule);
  const width = largest === 0 ? 0 : Math.round((stopped / largest) * 1000) / 10;
  const verdict = verdictOf(rule);
  const others = actions.filter((action) => !stops(action));
  const counts = stopped > 0 ? `${formatCount(stopped)} ${verdict}` : `0 stopped, ${formatCount(matched)} matched`;
  const facts = [
    ...(actions.length > 0 ? [actions.map(actionWord).join(', ')] : []),
    `${counted(matched, 'message')} matched`,
    ...(shadow ? [`in shadow: would stop ${formatCount(wouldStop)} more`] : []),
    ...(stopped > 0 ? [aloneWords(alone, stopped)] : []),
  ];
  const left = causes.length - most.ofRule;
  return html`<details class="rule"><summary><span class="name">${foreign(ruleName)}${others.length > 0 ? html` <span class="faint">${foreign(others.join(', '))}</span>` : undefined}${shadow ? html` <span class="faint">in shadow</span>` : undefined}</span><span class="n">${counts}</span>
<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="${verdict}" width="${width}" height="1"/></svg></summary>
<div><p class="faint">${facts.join(' · ')} · rule ${foreign(ruleId)}</p>
<ul class="causes">${causes.slice(0, most.ofRule).map((cause) => causeItem(cause, ruleSet))}${left > 0 ? html`<li class="faint">${formatCount(left)} more matched</li>` : undefined}</ul></div></details>
`;
}

/** What a rule does to the messages that it stops. Of a rule with both actions, the one that every message has whose verdict rests on it. */
function verdictOf({ actions, verdicts }: RuleCount): StoppedAs {
  const own = actions.filter(stops);
  return stoppedAs(own.find((action) => verdicts[action] > 0) ?? own[0]) ?? stoppedNames[0]!;
}

/** How many of the verdicts that rest on a rule would be another one without it. */
function aloneWords(alone: number, stopped: number): string {
  if (alone >= stopped) return 'without it all of them would have another verdict';
  if (alone === 0) return 'without it all of them would have the same verdict by other rules';
  return `without it ${formatCount(alone)} of them would have another verdict`;
}

function causeItem(cause: ShownCause, ruleSet: ReportInput['ruleSet']): Html {
  const { stopped, messages, examples } = cause;
  const counts = stopped === messages ? formatCount(stopped) : `${formatCount(stopped)} of ${formatCount(messages)}`;
  const { listId, term, pattern } = cause;
  const comment = listId === undefined ? undefined : commentOf(ruleSet, listId, term ?? pattern ?? '');
  const why =
    comment === undefined
      ? undefined
      : html`<p class="why faint">why it is there: ${foreign(comment)}</p>
`;
  return html`<li><p class="cause"><span>${causeName(cause, ruleSet)}</span><span class="n">${counts}</span></p>
${why}${examples.length > 0 ? html`<ul class="examples">${exampleItems(examples)}</ul>` : undefined}</li>
`;
}

/** What a cause is called, and the list that holds it. */
function causeName(cause: ShownCause, ruleSet: ReportInput['ruleSet']): Html {
  const { term, pattern, label = '', listId, threshold, ruleId } = cause;
  const from = listId === undefined ? undefined : html` <span class="faint">of ${foreign(listId)}</span>`;
  if (term !== undefined) return html`“${foreign(term)}”${from}`;
  if (pattern === undefined) return html`${foreign(label)} over ${threshold?.greaterThan ?? 0}`;
  const number = patternName(ruleSet, ruleId, { pattern, listId });
  const name = pattern.length <= shortPattern || number === 'pattern' ? undefined : html`${number} `;
  return html`${name}<code>${foreign(pattern)}</code>${from}`;
}

/** Examples as they are shown; messages of one text and equal matches are one of them. */
function exampleItems(examples: readonly Example[]): Html[] {
  const found = new Map<string, Example[]>();
  for (const example of examples) {
    const { text, path, spans, messageId } = example;
    const key = JSON.stringify(text === undefined ? [messageId, path] : [text, path, spans]);
    const alike = found.get(key);
    if (alike === undefined) found.set(key, [example]);
    else alike.push(example);
  }
  return [...found.values()].map(exampleItem);
}

/** An example: the text with its matches marked, or only where they are; then each message with its sender, time and conversation. */
function exampleItem(alike: readonly Example[]): Html {
  const { path, text, from, spans, score } = alike[0]!;
  const places = () => spans.map(({ start, end }) => `${from + start} to ${from + end}`).join(', ');
  const where =
    path === 'data.text' || path === 'text' ? undefined : html` <span class="faint">${foreign(path)}</span>`;
  const what =
    score !== undefined
      ? html`<span>${score} of 100</span>`
      : text === undefined
        ? html`<span>characters ${places()}</span>`
        : html`<blockquote dir="auto">${markedText(text, spans)}</blockquote>`;
  return html`<li>${what}${where}${alike.map(originLine)}</li>`;
}

/** Who wrote a message, when, in which conversation, and its id. */
function originLine({ messageId, sender, sentAt, conversationId }: Example): Html {
  const time = sentAt === undefined ? undefined : timeWords(sentAt);
  const parts = [
    ...(sender === undefined ? [] : [html`from ${foreign(sender)}`]),
    ...(time === undefined ? [] : [html`${time}`]),
    ...(conversationId === undefined ? [] : [html`in ${foreign(conversationId)}`]),
    messageId === null ? html`a message without an id` : html`message ${foreign(messageId)}`,
  ];
  return html`<p class="faint">${parts.map((part, index) => (index === 0 ? part : html` · ${part}`))}</p>`;
}

/** A text with what the spans cover marked; spans that overlap are one mark. */
function markedText(text: string, spans: Example['spans']): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (let index = 0; index < spans.length; ) {
    const { start } = spans[index]!;
    let { end } = spans[index]!;
    for (index++; index < spans.length && spans[index]!.start < end; index++) end = Math.max(end, spans[index]!.end);
    parts.push(html`${text.slice(at, start)}`, html`<mark>${text.slice(start, end)}</mark>`);
    at = end;
  }
  return [...parts, html`${text.slice(at)}`];
}

/** What matched in all rules, the most stopped messages first. */
export function causeTable({ audit, ruleSet }: ReportInput, causes: readonly ShownCause[]): Html {
  if (causes.length === 0) return html`<p>Nothing matched.</p>`;
  const names = new Map(audit.rules.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  return foldedTable({
    ...{ rows: causes, noun: 'terms, patterns and labels', open: most.open, folded: most.folded },
    head: html`<tr><th scope="col">what matched, and its rule</th><th scope="col" class="n">stopped</th><th scope="col" class="n">messages</th></tr>`,
    row: (cause) =>
      html`<tr><th scope="row">${causeName(cause, ruleSet)}<br><span class="faint">${foreign(names.get(cause.ruleId) ?? cause.ruleId)}</span></th><td class="n">${formatCount(cause.stopped)}</td><td class="n">${formatCount(cause.messages)}</td></tr>
`,
  });
}
