/** The style sheet of the page of a report. */
import { type StoppedAs, stoppedNames } from '../../engine/compile/verdicts.js';

/** The colours of the bars: light, dark, on paper. */
const fills: Readonly<Record<StoppedAs, readonly string[]>> = {
  blocked: ['#d9694f', '#b4513a', '#8c8c8c'],
  dropped: ['#4d1005', '#ffe0d4', '#000'],
};
const fillsOf = (scheme: number) => stoppedNames.map((name) => ` --${name}: ${fills[name][scheme]};`).join('');

/**
 * The style of `report.html`: one column, white space instead of boxes, colours for light and dark,
 * and everything open on paper.
 */
export const reportStyle = `
:root { color-scheme: light dark; --ink: #1b1b1a; --faint: #5c5b57; --paper: #fdfdfb; --line: #d9d7d0;${fillsOf(0)} --mark: #ffe08a; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --faint: #a5a29a; --paper: #171716; --line: #3a3935;${fillsOf(1)} --mark: #6b4e00; --link: #8ab8f0; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 72ch; margin: 0 auto; padding: 2.5rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; font-weight: 650; text-wrap: balance; }
h2 { font-size: 1.15rem; margin: 3rem 0 .6rem; font-weight: 650; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; font-weight: 650; }
p, ul, dl, figure, pre { margin: 0 0 .7rem; }
ul { padding-left: 1.2rem; }
a { color: var(--link); }
.faint, figcaption, th { color: var(--faint); }
.faint, figcaption { font-size: .875rem; }
nav { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: 1rem 0 0; }
${stoppedNames.map((name) => `.${name} { fill: var(--${name}); }`).join('\n')}
.none { fill: var(--line); }
.days { display: block; width: 100%; height: 6rem; }
.ends { display: flex; justify-content: space-between; gap: 1rem; font-variant-numeric: tabular-nums; }
.ends span:nth-child(2) { text-align: center; }
.ends span:last-child { text-align: right; }
.key { display: inline-block; margin-right: .8rem; }
.key svg { width: .8em; height: .8em; margin-right: .4em; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0 1rem; }
th { text-align: left; font-weight: 400; font-size: .875rem; vertical-align: top; }
tbody th { color: var(--ink); font-size: 1em; }
th, td { padding: .2rem .8rem .2rem 0; vertical-align: top; }
td:last-child, th:last-child { padding-right: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table .n { width: 1%; }
.error { font-weight: 600; }
p.error { font-weight: 400; }
p.error a { font-weight: 600; }
summary { cursor: pointer; padding: .25rem 0; }
.rule > summary { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; list-style: none; padding: .45rem 0; }
.rule > summary::-webkit-details-marker { display: none; }
.rule > summary .name::before { content: "+"; display: inline-block; width: 1.8ch; margin-left: -1.8ch; color: var(--faint); font-variant-numeric: tabular-nums; }
.rule[open] > summary .name::before { content: "−"; }
.rule > summary .name { font-weight: 600; padding-left: 1.8ch; }
.rule > summary .faint { font-weight: 400; }
.rule svg { grid-column: 1 / -1; display: block; width: 100%; height: .3rem; }
.rule > div { padding: .2rem 0 1.2rem 1.8ch; }
.rule ul { list-style: none; padding: 0; margin: 0; }
.rule > div > ul > li { margin: .9rem 0 0; }
.rule li p { margin: 0; }
.rule ul ul > li { margin: .4rem 0 0; padding-left: 1.2ch; border-left: 2px solid var(--line); }
section > p::first-letter, section > details > summary::first-letter { text-transform: uppercase; }
.names { display: flex; flex-wrap: wrap; gap: .1rem 1.6ch; list-style: none; padding-left: 1.2rem; }
blockquote { margin: 0; }
mark { background: var(--mark); color: inherit; padding: 0 .1em; border-radius: .15em; text-decoration: underline; text-underline-offset: .15em; }
code, pre { font: .9rem/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; }
dt { color: var(--faint); font-size: .875rem; }
dd { margin: 0 0 .5rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 30rem) {
  #days table { font-size: .875rem; }
  th, td { padding-right: .6rem; }
  #days th, #days td { padding-right: .4rem; }
  #days thead th { font-size: .75rem; }
}
@media screen and (max-width: 30rem) {
  .o { display: none; }
}
@media print {
  :root { --ink: #000; --faint: #333; --paper: #fff; --line: #999;${fillsOf(2)} --mark: #fff; --link: #000; }
  @page { margin: 14mm; }
  html { font-size: 9pt; }
  body { line-height: 1.35; }
  main { max-width: none; padding: 0; }
  h1 { font-size: 17pt; }
  h2 { font-size: 12pt; margin-top: 1.6rem; }
  nav, .more > summary { display: none; }
  a { text-decoration: none; }
  details::details-content { content-visibility: visible; block-size: auto; opacity: 1; }
  summary { list-style: none; }
  summary::-webkit-details-marker { display: none; }
  .rule > summary .name { padding-left: 0; }
  .rule > summary .name::before, .rule[open] > summary .name::before { content: none; }
  .rule > div { padding-left: 0; }
  .rule:not(:has(> div > ul > li:nth-child(9))) { break-inside: avoid; }
  .rule > div > ul > li { margin: 0 0 .5rem; }
  .rule ul ul > li { margin: .1rem 0 0; }
  .rule ul ul p { font-size: .8rem; line-height: 1.2; }
  th, td { padding-top: .08rem; padding-bottom: .08rem; }
  table { margin: 0; }
  .day { white-space: nowrap; }
  mark { font-weight: 700; padding: 0; }
  svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h2, h3, summary { break-after: avoid; }
  .rule li, tr, figure, header { break-inside: avoid; }
}
`;
