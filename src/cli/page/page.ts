/** `report.html`: an audit as one page that needs no network and no script, for screens, telephones and paper. */
import { createHash } from 'node:crypto';
import type { OriginCounts } from '../../audit/count/audit-summary.js';
import { mostCauses } from '../../audit/count/examples.js';
import type { UnmatchedTerms } from '../../audit/count/unmatched.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { ResultForm } from '../../audit/keep/result-files.js';
import { errorsOf, type Issue } from '../../engine/compile/issue.js';
import {
  doubtsOf,
  originWords,
  resultWords,
  spanWords,
  unmatchedWords,
  unsureWords,
  verdictWords,
} from '../audit/words.js';
import { unchecked, uncheckedByEveryRule } from '../doubts.js';
import { exceptionWords } from '../plain-words.js';
import { errorSummary, issueCount, mostInformative } from '../rule-errors.js';
import { counted, formatCount, formatPercent } from '../terminal/text.js';
import { dayBars } from './day-bars.js';
import { foldedTable } from './folded-table.js';
import { foreign, type Html, html, shorten, trusted } from './html.js';
import { reportStyle } from './page-style.js';
import { precisionTable } from './precision-table.js';
import { type ReportInput, shownCauses } from './report-input.js';
import { causeTable, ruleRows } from './rule-rows.js';

/** Rows of lists that would grow with the messages or the rules. */
const most = { names: 50, unmatchedTerms: 200, issues: 200, badRows: 20 } as const;

/** The page as a file of a directory. */
export const pageFile: NonNullable<ResultForm['page']> = {
  name: 'report.html',
  beginning: '<!doctype html>\n<html lang="en">\n<head>\n<meta name="generator" content="sluice ',
};

/** A part of the page with a heading, to which the links at its beginning lead. */
interface Section {
  readonly id: string;
  readonly title: string;
  /** The words of the link to it. */
  readonly link: string;
  readonly content: Html;
}

/**
 * The page of an audit, a function of its input alone. Its policy admits its own style, by its digest, no script, and nothing from a network.
 */
export function reportPage(input: ReportInput): string {
  const { audit, version, from } = input;
  const result = audit.messages === 0 ? 'No message was judged' : sentence(resultWords(audit, { isSentence: true }));
  const causes = shownCauses(input);
  const span = spanWords(audit);
  const policy = `default-src 'none'; style-src '${digestOf(reportStyle)}'; base-uri 'none'; form-action 'none'`;
  const sections: readonly Section[] = [
    {
      id: 'rules',
      link: 'Rules',
      title: 'Rules',
      content: html`${ruleRows(input, causes)}${examplesNote(input, causes.length)}`,
    },
    { id: 'precision', link: 'Precision', title: 'How right the rules are', content: precisionTable(input) },
    { id: 'terms', link: 'Terms', title: 'Terms, patterns and labels', content: causeTable(input, causes) },
    { id: 'senders', link: 'Senders', title: 'Senders', content: originTable('sender', audit.senders) },
    {
      id: 'conversations',
      link: 'Conversations',
      title: 'Conversations',
      content: originTable('conversation', audit.conversations),
    },
    { id: 'excepted', link: 'Excepted', title: 'What was excepted', content: excepted(audit) },
    { id: 'never', link: 'Never matched', title: 'What never matched', content: unmatched(audit) },
    { id: 'unchecked', link: 'Not checked', title: `What ${unchecked}`, content: notChecked(audit) },
    { id: 'reproduce', link: 'Reproduce', title: 'How to reproduce this', content: reproduction(input) },
  ].flatMap(({ content, ...section }) => (content === undefined ? [] : [{ ...section, content }]));
  return html`${trusted(pageFile.beginning)}${version}">
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
<span class="faint">Messages from ${foreign(from)}${span === undefined ? '' : ` · ${span}`}</span></p>
${warningsOf(audit)}<nav aria-label="Sections">${sections.map(({ id, link }) => html`<a href="#${id}">${link}</a> `)}</nav></header>
${sectionOf({ id: 'days', title: 'Day by day', content: dayBars(audit.days, audit.undated.outside) })}${sections.map(sectionOf)}</main>
</body>
</html>
`.html;
}

function sectionOf({ id, title, content }: Omit<Section, 'link'>): Html {
  return html`<section id="${id}">
<h2>${title}</h2>
${content}
</section>
`;
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Words that begin a line of their own. */
function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What keeps the result from being the whole truth, so that nobody reads it without that: errors of the rules first. */
function warningsOf({ unevaluated, messages, ruleSet }: AuditReport): Html {
  const errors = errorSummary(errorsOf(ruleSet));
  const share = formatPercent(unevaluated.messages, messages);
  return html`${
    errors === undefined
      ? undefined
      : html`<p class="error"><a href="#unchecked">${errors.count}</a>: <bdi>${errors.details}</bdi></p>
`
  }${
    unevaluated.messages === 0
      ? undefined
      : html`<p><a href="#unchecked">${counted(unevaluated.messages, 'message')} (${share})</a> ${uncheckedByEveryRule}.</p>
`
  }`;
}

/** What of the examples is left out, and why. */
function examplesNote({ content, examples }: ReportInput, causes: number): Html | undefined {
  const notes = [
    ...(content === 'redacted' && causes > 0
      ? ['Texts of messages were left out; examples say where in the message the match is.']
      : []),
    ...(examples.length === mostCauses && causes > mostCauses
      ? [`Examples are kept of ${formatCount(mostCauses)} of ${formatCount(causes)} terms, patterns and labels.`]
      : []),
  ];
  return notes.length === 0 ? undefined : html`<p class="faint">${notes.join(' ')}</p>`;
}

function originTable(by: 'sender' | 'conversation', origins: OriginCounts | undefined): Html | undefined {
  if (origins === undefined) return undefined;
  const { rows } = origins;
  const { all, notes } = originWords(origins, by);
  if (all === 0) return html`<p>No message was stopped.</p>`;
  const table = foldedTable({
    ...{ rows, noun: `${by}s`, open: 20, folded: 180 },
    head: html`<tr><th scope="col">${by}</th><th scope="col" class="n">stopped</th><th scope="col" class="n">of all stopped</th></tr>`,
    row: ({ id, stopped }) =>
      html`<tr><th scope="row">${foreign(id)}</th><td class="n">${formatCount(stopped)}</td><td class="n">${formatPercent(stopped, all)}</td></tr>
`,
  });
  return html`${rows.length > 0 ? table : undefined}${notes.map((note) => html`<p class="faint">${note}</p>`)}`;
}

function excepted({ exceptions }: AuditReport): Html | undefined {
  const items = exceptions
    .slice(0, most.names)
    .map((own) => html`<li>${foreign(exceptionWords(own))}: ${counted(own.messages, 'message')}</li>`);
  return exceptions.length === 0 ? undefined : html`<ul>${items}</ul>${leftOut(exceptions.length - most.names)}`;
}

function unmatched(audit: AuditReport): Html {
  const { rules, terms, exceptions } = audit.neverMatched;
  const count = terms.reduce((sum, own) => sum + own.unmatched.length, 0);
  const names = rules.slice(0, most.names).map(({ ruleName }) => html`<li>${foreign(ruleName)}</li>`);
  const spared = exceptions.slice(0, most.names).map((own) => html`<li>${foreign(exceptionWords(own))}</li>`);
  if (rules.length + count + exceptions.length === 0)
    return html`<p>Every rule, term and pattern matched a message.</p>`;
  return html`${rules.length > 0 ? html`<p>${counted(rules.length, 'rule')}${unsureWords(audit)}:</p><ul>${names}</ul>${leftOut(rules.length - most.names)}` : undefined}
${count > 0 ? html`<p>${formatCount(count)} of the terms and patterns, by list or rule:</p>${terms.slice(0, most.names).map(unmatchedTerms)}${leftOut(terms.length - most.names)}` : undefined}${exceptions.length > 0 ? html`<p>${counted(exceptions.length, 'exception')} that excepted nothing:</p><ul>${spared}</ul>${leftOut(exceptions.length - most.names)}` : undefined}`;
}

/** What of one list or rule never matched, by name: that is what somebody may want to mend or delete. */
function unmatchedTerms(own: UnmatchedTerms): Html {
  const { listId, ruleId = '', unmatched } = own;
  const { holder, share } = unmatchedWords(own);
  const names = unmatched.slice(0, most.unmatchedTerms).map((name) => html`<li>${foreign(name)}</li>`);
  return html`<details><summary>${holder}${foreign(listId ?? ruleId)}: ${share}</summary><ul class="names">${names}</ul>${leftOut(unmatched.length - names.length)}</details>
`;
}

function leftOut(left: number): Html | undefined {
  return left > 0 ? html`<p class="faint">${formatCount(left)} more in summary.json</p>` : undefined;
}

/** What was not checked and why: errors of the rules, then messages, then what is missing of the rule set, and its warnings. */
function notChecked(audit: AuditReport): Html {
  const { issues, missing } = audit.ruleSet;
  const doubts = doubtsOf(audit).map(({ words, figure, details }) => {
    const items = details.slice(0, most.names).map(({ words: what, messages, line }) => {
      const figures = messages === undefined ? `line ${line}` : formatCount(messages);
      return html`<li>${foreign(what)}: ${figures}</li>`;
    });
    return html`<li>${sentence(words)}${figure === undefined ? undefined : `: ${figure}`}${items.length > 0 ? html`<ul>${items}</ul>` : undefined}</li>
`;
  });
  const lists = missing
    .slice(0, most.names)
    .map(({ listId, reason }) => html`<li>Keyword list ${foreign(listId)} is missing: ${shorten(reason)}</li>`);
  if (doubts.length + lists.length + issues.length === 0)
    return html`<p>All messages were checked by every rule that runs.</p>`;
  return html`${issueList(issues, 'error')}
${doubts.length + lists.length > 0 ? html`<ul>${doubts}${lists}</ul>` : undefined}
${issueList(issues, 'warning')}`;
}

/** The issues of one severity, folded away behind their number. */
function issueList(issues: readonly Issue[], severity: Issue['severity']): Html | undefined {
  const all = mostInformative(issues.filter((issue) => issue.severity === severity));
  if (all.length === 0) return undefined;
  const items = all.slice(0, most.issues).map(({ code, ruleId, conditionId, listId, detail }) => {
    const rule = ruleId === undefined ? undefined : html` rule ${foreign(ruleId)}`;
    const condition = conditionId === undefined ? undefined : html`, condition ${conditionId}`;
    const list = listId === undefined ? undefined : html` list ${foreign(listId)}`;
    return html`<li><code>${code}</code>${rule}${condition}${list}<br>${shorten(detail)}</li>
`;
  });
  return html`<details class="${severity}"><summary>${issueCount(all.length, severity)}</summary><ul>${items}</ul>${leftOut(all.length - items.length)}</details>`;
}

function reproduction({ audit, version, command, messages }: ReportInput): Html {
  const { ruleSet, revision, input } = audit;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      'rules and lists',
      `${ruleSet.revision} (${counted(ruleSet.rules, 'rule')}, ${counted(ruleSet.lists, 'list')}, ${counted(ruleSet.terms, 'term')}, ${counted(ruleSet.patterns, 'pattern')})`,
    ],
    ['rules and readings', revision],
    [
      'messages, sha-256',
      messages && `${messages.sha256} (${counted(messages.lines, 'line')}, ${counted(messages.bytes, 'byte')})`,
    ],
    ['scores', input.scores],
    ['Sluice', version],
  ];
  const rows = facts.map(([name, value]) =>
    value === undefined ? html`` : html`<dt>${name}</dt><dd><code>${value}</code></dd>`,
  );
  return html`<pre tabindex="0"><code>${command}</code></pre>
<p>The same messages, rules and readings give the same bytes. These are the digests of this report:</p>
<dl>${rows}</dl>`;
}
