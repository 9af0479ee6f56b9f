/** `report.html`: an audit as one page that needs no network and no script, for screens, telephones and paper. */
import { createHash } from 'node:crypto';
import type { OriginCounts } from '../../audit/count/audit-summary.js';
import { mostCauses } from '../../audit/count/examples.js';
import type { UnmatchedTerms } from '../../audit/count/unmatched.js';
import { reportBeginning } from '../../audit/keep/result-files.js';
import { safeJson } from '../../files/ndjson.js';
import type { AuditReport } from '../audit/report.js';
import { reasonWords, scaleWords } from '../plain-words.js';
import { daysWords } from '../terminal/day-chart.js';
import { counted, formatCount, formatPercent } from '../terminal/text.js';
import { dayBars } from './day-bars.js';
import { foldedTable } from './folded-table.js';
import { foreign, type Html, html, shorten, trusted } from './html.js';
import { comparedData, countedCauses, type ReportInput } from './page-data.js';
import { reportScript } from './page-script.js';
import { reportStyle } from './page-style.js';
import { causeTable, ruleRows } from './rule-rows.js';

/** Rows of lists that would grow with the messages or the rules. */
const most = { names: 50, unmatchedTerms: 200, issues: 200, badRows: 20 } as const;

/** A part of the page with a heading, to which the links at its beginning lead. */
interface Section {
  readonly id: string;
  readonly title: string;
  /** The words of the link to it. */
  readonly link: string;
  readonly content: Html;
}

/**
 * The page of an audit, a function of its input alone. Its policy admits its own style and script, by their digests, and nothing
 * from a network; the counts stand in it as JSON, `#report-data`, which is what comparing reads.
 */
export function reportPage(input: ReportInput): string {
  const { audit, version } = input;
  const result = resultWords(audit);
  const causes = countedCauses(input);
  const policy = `default-src 'none'; style-src '${digestOf(reportStyle)}'; script-src '${digestOf(reportScript)}'; base-uri 'none'; form-action 'none'`;
  // INVARIANT: no `<` in the data, so that no text can end its element.
  const data = safeJson(comparedData(input)).replaceAll('<', '\\u003c');
  const sections: readonly Section[] = [
    {
      id: 'rules',
      link: 'Rules',
      title: 'Rules',
      content: html`${ruleRows(input, causes)}${examplesNote(input, causes.length)}`,
    },
    { id: 'terms', link: 'Terms', title: 'Terms, patterns and labels', content: causeTable(input, causes) },
    { id: 'senders', link: 'Senders', title: 'Senders', content: originTable('sender', audit.senders) },
    {
      id: 'conversations',
      link: 'Conversations',
      title: 'Conversations',
      content: originTable('conversation', audit.conversations),
    },
    { id: 'never', link: 'Never matched', title: 'What never matched', content: unmatched(audit) },
    { id: 'unchecked', link: 'Not checked', title: 'What could not be checked', content: notChecked(audit) },
    { id: 'reproduce', link: 'Reproduce', title: 'How to reproduce this', content: reproduction(input) },
  ].flatMap(({ content, ...section }) => (content === undefined ? [] : [{ ...section, content }]));
  return html`${trusted(reportBeginning)}${version}">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${result}</title>
<style>${trusted(reportStyle)}</style>
</head>
<body>
<main>
<header><h1>${result}</h1>
${audit.partial ? html`<p><strong>The audit was stopped before its last message; all of this is true for the messages that were judged.</strong></p>` : undefined}
<p>${verdictWords(audit)}</p>
${doubtOf(audit)}<nav aria-label="Sections">${sections.map(({ id, link }) => html`<a href="#${id}">${link}</a> `)}<a href="#compare" class="tools" hidden>Compare</a></nav></header>
${sectionOf({ id: 'days', title: 'Day by day', content: dayBars(audit.days, audit.undated.outside) })}${filterTools}${sections.map(sectionOf)}<section id="compare" hidden>
<h2>Compare with another report</h2>
<p id="choose"><label>Drop another report.html on this page, or choose it: <input type="file" id="other" accept=".html,text/html"></label></p>
<div id="comparison" aria-live="polite"></div>
</section>
</main>
<script type="application/json" id="report-data">${trusted(data)}</script>
<script>${trusted(reportScript)}</script>
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

const filterTools = html`<div class="tools" role="search" hidden><label>Filter <input type="search" id="filter" autocomplete="off" placeholder="rule, term, text, sender, conversation"></label> <span id="shown" class="faint" role="status"></span></div>
`;

function resultWords({ messages, verdicts }: AuditReport): string {
  const stopped = verdicts.blockMessage + verdicts.dropMessage;
  if (messages === 0) return 'No message was judged';
  if (stopped === 0) return `None of ${counted(messages, 'message')} stopped`;
  return `${formatCount(stopped)} of ${counted(messages, 'message')} stopped (${formatPercent(stopped, messages)})`;
}

function verdictWords({ verdicts, days }: AuditReport): string {
  const { allow, blockMessage, dropMessage } = verdicts;
  const counts = `${formatCount(blockMessage)} blocked, ${formatCount(dropMessage)} dropped, ${formatCount(allow)} allowed`;
  return days.length === 0 ? counts : `${counts} · ${daysWords(days[0]!.day, days.at(-1)!.day)}`;
}

/** What keeps the result from being the whole truth, so that nobody reads it without that. */
function doubtOf({ unevaluated, messages }: AuditReport): Html | undefined {
  if (unevaluated.messages === 0) return undefined;
  const share = formatPercent(unevaluated.messages, messages);
  return html`<p><a href="#unchecked">${counted(unevaluated.messages, 'message')} (${share})</a> could not be checked by every rule.</p>
`;
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
  const { rows, others, unknown } = origins;
  const all = rows.reduce((sum, { stopped }) => sum + stopped, others + unknown);
  if (all === 0) return html`<p>No message was stopped.</p>`;
  const notes = [
    ...(unknown > 0 ? [`${counted(unknown, 'stopped message')} without a ${by}`] : []),
    ...(others > 0 ? [`too many ${by}s to count each: counts may be too small, by ${formatCount(others)} in all`] : []),
  ];
  const table = foldedTable({
    ...{ rows, noun: `${by}s`, open: 20, folded: 180 },
    head: html`<tr><th scope="col">${by}</th><th scope="col" class="n">stopped</th><th scope="col" class="n">of all stopped</th></tr>`,
    row: ({ id, stopped }) =>
      html`<tr data-row="${by}"><th scope="row">${foreign(id)}</th><td class="n">${formatCount(stopped)}</td><td class="n">${formatPercent(stopped, all)}</td></tr>
`,
  });
  return html`${rows.length > 0 ? table : undefined}${notes.map((note) => html`<p class="faint">${note}</p>`)}`;
}

function unmatched({ neverMatched: { rules, terms } }: AuditReport): Html {
  const doubtful = rules.filter(({ unevaluated }) => unevaluated > 0).length;
  const doubt = doubtful === 0 ? '' : `; ${formatCount(doubtful)} of them could not be checked on every message`;
  const count = terms.reduce((sum, own) => sum + own.unmatched.length, 0);
  const names = rules.slice(0, most.names).map(({ ruleName }) => html`<li>${foreign(ruleName)}</li>`);
  if (rules.length + count === 0) return html`<p>Every rule, term and pattern matched a message.</p>`;
  return html`${rules.length > 0 ? html`<p>${counted(rules.length, 'rule')}${doubt}:</p><ul>${names}</ul>${moreThan(rules.length)}` : undefined}
${count > 0 ? html`<p>${formatCount(count)} of the terms and patterns, by list or rule:</p>${terms.slice(0, most.names).map(unmatchedTerms)}${moreThan(terms.length)}` : undefined}`;
}

/** What of one list or rule never matched, by name: that is what somebody may want to mend or delete. */
function unmatchedTerms({ listId, ruleId, kind, unmatched, of }: UnmatchedTerms): Html {
  const place =
    listId === undefined
      ? html`${kind === 'word' ? 'words' : 'patterns'} of ${foreign(ruleId ?? '')}`
      : foreign(listId);
  const names = unmatched.slice(0, most.unmatchedTerms).map((name) => html`<li>${foreign(name)}</li>`);
  const left = unmatched.length - names.length;
  return html`<details><summary>${place}: ${formatCount(unmatched.length)} of ${formatCount(of)}</summary><ul class="names">${names}</ul>${left > 0 ? html`<p class="faint">${formatCount(left)} more in summary.json</p>` : undefined}</details>
`;
}

function moreThan(count: number): Html | undefined {
  return count > most.names
    ? html`<p class="faint">${formatCount(count - most.names)} more in summary.json</p>`
    : undefined;
}

/** What was not checked and why: messages first, then the faults of the rule set. */
function notChecked({
  messages,
  unevaluated,
  exempt,
  truncated,
  texts,
  unreadable,
  days,
  undated,
  badRows,
  scoresUpToOne,
  ruleSet,
}: AuditReport): Html {
  const share = (count: number, whole: number) => `${formatCount(count)} (${formatPercent(count, whole)})`;
  const lines: Html[] = [
    ...(unevaluated.messages > 0
      ? [
          html`<li>Messages that not every rule could check: ${share(unevaluated.messages, messages)}
<ul>${unevaluated.reasons.slice(0, most.names).map((reason) => html`<li>${shorten(reasonWords([reason]))}: ${formatCount(reason.messages)}</li>`)}</ul></li>`,
        ]
      : []),
    ...(exempt > 0 ? [html`<li>Exempt, allowed unseen: ${share(exempt, messages)}</li>`] : []),
    ...(truncated > 0 ? [html`<li>More matches than a decision lists: ${share(truncated, messages)}</li>`] : []),
    ...(unreadable > 0 ? [html`<li>Messages whose text is no string: ${share(unreadable, texts)}</li>`] : []),
    ...(undated.outside > 0
      ? [
          html`<li>In no day, the time of sending being no second from 1970 to 2199: ${share(undated.outside, messages)}</li>`,
        ]
      : []),
    ...(undated.absent > 0 && days.length > 0
      ? [html`<li>In no day, without a time of sending: ${share(undated.absent, messages)}</li>`]
      : []),
    ...(scoresUpToOne === undefined ? [] : [html`<li>Scores: ${scaleWords(scoresUpToOne)}</li>`]),
    ...(badRows !== undefined
      ? [
          html`<li>Rows that hold no message, left out: ${formatCount(badRows.count)}
<ul>${badRows.first.slice(0, most.badRows).map(({ line, reason }) => html`<li>line ${line}: ${shorten(reason)}</li>`)}</ul></li>`,
        ]
      : []),
    ...ruleSet.missing
      .slice(0, most.names)
      .map(({ listId, reason }) => html`<li>Keyword list ${foreign(listId)} is missing: ${shorten(reason)}</li>`),
    ...(ruleSet.truncated ? [html`<li>The list of rules was as long as its page, so rules may be missing.</li>`] : []),
  ];
  const { issues } = ruleSet;
  const issueList = issues.slice(0, most.issues).map(
    ({
      code,
      severity,
      ruleId,
      conditionId,
      listId,
      detail,
    }) => html`<li>${severity} <code>${code}</code> ${ruleId === undefined ? undefined : html`rule ${foreign(ruleId)}${conditionId === undefined ? undefined : html`, condition ${conditionId}`}`} ${listId === undefined ? undefined : html`list ${foreign(listId)}`}<br>${shorten(detail)}</li>
`,
  );
  if (lines.length + issues.length === 0) return html`<p>All messages were checked by every rule that runs.</p>`;
  const left = issues.length - issueList.length;
  return html`${lines.length > 0 ? html`<ul>${lines}</ul>` : undefined}
${issues.length > 0 ? html`<details><summary>${counted(issues.length, 'issue')} of the rule set</summary><ul>${issueList}</ul>${left > 0 ? html`<p>${formatCount(left)} more in summary.json</p>` : undefined}</details>` : undefined}`;
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
