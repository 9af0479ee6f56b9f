/**
 * `report.html`: an audit as one page that needs neither network nor scripts, for screens,
 * telephones and paper.
 */
import { createHash } from 'node:crypto';
import { mostCauses } from '../../audit/count/examples.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import { errorsOf, type Issue } from '../../engine/compile/issue.js';
import {
  causesOf,
  causeTable,
  exceptedNames,
  issueList,
  limitBlocks,
  neverMatched,
  originTable,
} from '../audit/sections.js';
import { resultWords, spanWords, verdictWords } from '../audit/wording.js';
import { type Block, list, name, paragraph, plain, words } from '../document/document.js';
import { htmlOf } from '../document/html.js';
import { plainText } from '../document/runs.js';
import { errorSummary, issueCount } from '../rule-errors.js';
import { counted, formatCount, formatPercent } from '../terminal/text.js';
import { unchecked, uncheckedByEveryRule } from '../unchecked.js';
import { dayNumbers } from './day-bars.js';
import { foreign, type Html, html, shorten, trusted } from './html.js';
import { reportStyle } from './page-style.js';
import { type ReportInput, ruleRows } from './rule-rows.js';

/** The name of the page in a directory. */
export const pageName = 'report.html';

/** A section of the page, with a heading. A link at the beginning of the page leads to it. */
interface Section {
  readonly id: string;
  readonly title: string;
  /** The text of the link. Default: the title. */
  readonly link?: string;
  /** A section without blocks is left out. */
  readonly blocks: readonly Block[];
}

/**
 * Returns the page of an audit, which depends on the input alone. Its policy allows its own style,
 * by digest, but no scripts and nothing from a network.
 */
export function reportPage(input: ReportInput): string {
  const { audit, version, from, rulesFrom } = input;
  const result = audit.messages === 0 ? 'No message was judged' : sentence(resultWords(audit, { isSentence: true }));
  const span = spanWords(audit);
  const policy = `default-src 'none'; style-src '${digestOf(reportStyle)}'; base-uri 'none'; form-action 'none'`;
  const [days, ...sections] = sectionsOf(input).filter(({ blocks }) => blocks.length > 0);
  const nav = [...sections, reproduceSection].map(({ id, title, link = title }) => html`<a href="#${id}">${link}</a> `);
  return html`<!doctype html>
<html lang="en">
<head>
<meta name="generator" content="sluice ${version}">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${result} · ${shorten(from)}</title>
<style>${trusted(reportStyle)}</style>
</head>
<body>
<main>
<header><h1>${result}</h1>
${audit.partial ? html`<p><strong>The audit was stopped before its last message; all of this is true for the messages that were judged.</strong></p>` : undefined}
<p>${verdictWords(audit.verdicts)}, ${formatCount(audit.verdicts.allow)} allowed<br>
<span class="faint">Messages from ${foreign(from)}${span === undefined ? '' : ` · ${span}`}<br>
Rules from ${foreign(rulesFrom)} · revision ${audit.ruleSet.revision.slice(0, 12)}</span></p>
${warningsOf(audit)}<nav aria-label="Sections">${nav}</nav></header>
${[days!, ...sections].map((section) => sectionOf(section, htmlOf(section.blocks)))}${sectionOf(reproduceSection, reproduction(input))}</main>
</body>
</html>
`.html;
}

const reproduceSection = { id: 'reproduce', link: 'Reproduce', title: 'How to reproduce this' } as const;

function sectionsOf(input: ReportInput): readonly Section[] {
  const { audit, ruleSet } = input;
  const { days, undated } = audit;
  return [
    {
      id: 'days',
      title: 'Day by day',
      blocks: [{ kind: 'days', days, outside: undated.outside }, ...dayNumbers(days)],
    },
    { id: 'rules', title: 'Rules', blocks: [...ruleRows(input), ...exampleNotes(input)] },
    { id: 'terms', link: 'Terms', title: 'Terms, patterns and labels', blocks: causeTable(audit, ruleSet) },
    { id: 'senders', title: 'Senders', blocks: originTable('sender', audit.senders) },
    { id: 'conversations', title: 'Conversations', blocks: originTable('conversation', audit.conversations) },
    { id: 'excepted', title: 'Excepted', blocks: exceptedNames(audit) },
    { id: 'never', title: 'Never matched', blocks: neverMatched(audit, { isWhole: true }) },
    { id: 'unchecked', link: 'Not checked', title: `What ${unchecked}`, blocks: notChecked(audit) },
  ];
}

function sectionOf({ id, title }: Omit<Section, 'blocks'>, content: Html): Html {
  return html`<section id="${id}">
<h2>${title}</h2>
${content}</section>
`;
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Capitalizes a text that begins a line. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the warnings at the beginning of the page: errors of the rules, then messages that could
 * not be checked.
 */
function warningsOf({ unevaluated, messages, ruleSet }: AuditReport): Html {
  const errors = errorSummary(errorsOf(ruleSet));
  const share = formatPercent(unevaluated.messages, messages);
  const checked = html`<p><a href="#unchecked">${counted(unevaluated.messages, 'message')} (${share})</a> ${uncheckedByEveryRule}.</p>\n`;
  const wrong =
    errors &&
    html`<p class="error"><a href="#unchecked">${errors.count}</a>: ${foreign(plainText(errors.details))}</p>\n`;
  return html`${wrong}${unevaluated.messages === 0 ? undefined : checked}`;
}

/** Returns notes on examples that are left out, and why. */
function exampleNotes({ audit, content, examples }: ReportInput): Block[] {
  const causes = causesOf(audit).length;
  const redacted = 'Texts of messages were left out; examples say where in the message the match is.';
  const some = `Examples are kept of ${formatCount(mostCauses)} of ${formatCount(causes)} terms, patterns and labels.`;
  return [
    ...(content === 'redacted' && causes > 0 ? [paragraph(redacted, 'faint')] : []),
    ...(examples.length === mostCauses && causes > mostCauses ? [paragraph(some, 'faint')] : []),
  ];
}

/** Numbers of issues of a severity and of missing lists that are shown. */
const most = { issues: 200, lists: 50 } as const;

/**
 * Returns what the audit did not check: errors of the rules, messages, missing lists, and warnings
 * about the rules.
 */
function notChecked(audit: AuditReport): readonly Block[] {
  const { issues, missing } = audit.ruleSet;
  const lists = missing
    .slice(0, most.lists)
    .map(({ listId, reason }) => words`keyword list ${name(listId)} is missing: ${plain(reason)}`);
  const blocks = [...issuesOf(issues, 'error'), ...limitBlocks(audit), ...list(lists), ...issuesOf(issues, 'warning')];
  return blocks.length === 0 ? [paragraph('All messages were checked by every rule that runs.')] : blocks;
}

/** Returns the issues of one severity, collapsed under their number. */
function issuesOf(issues: readonly Issue[], severity: Issue['severity']): readonly Block[] {
  const all = issues.filter((issue) => issue.severity === severity);
  if (all.length === 0) return [];
  const count = issueCount(all.length, severity);
  const summary = severity === 'error' ? ({ words: count, tone: 'bad' } as const) : count;
  return [{ kind: 'fold', summary, blocks: issueList(all.slice(0, most.issues)) }];
}

function reproduction({ audit, version, command, messages }: ReportInput): Html {
  const { ruleSet, revision, input } = audit;
  const sizes = [
    counted(ruleSet.rules, 'rule'),
    counted(ruleSet.lists, 'list'),
    counted(ruleSet.terms, 'term'),
    counted(ruleSet.patterns, 'pattern'),
  ];
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['rules and lists', `${ruleSet.revision} (${sizes.join(', ')})`],
    ['rules and readings', revision],
    [
      'messages, sha-256',
      messages && `${messages.sha256} (${counted(messages.lines, 'line')}, ${counted(messages.bytes, 'byte')})`,
    ],
    ['scores', input.scores],
    ['Sluice', version],
  ];
  const rows = facts.map(([fact, value]) =>
    value === undefined ? html`` : html`<dt>${fact}</dt><dd><code>${value}</code></dd>`,
  );
  return html`<pre tabindex="0"><code>${command}</code></pre>
<p>The same messages, rules and readings give the same bytes. These are the digests of this report:</p>
<dl>${rows}</dl>
`;
}
