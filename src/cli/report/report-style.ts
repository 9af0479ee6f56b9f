/** The style of `report.html`: one column, white space for boxes, colours for light and dark, all open on paper. */
export const reportStyle = `
:root { color-scheme: light dark; --ink: #1b1b1a; --faint: #5c5b57; --paper: #fdfdfb; --line: #d9d7d0; --bar: #b3361e; --mark: #ffe08a; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --faint: #a5a29a; --paper: #171716; --line: #3a3935; --bar: #f08c72; --mark: #6b4e00; --link: #8ab8f0; }
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
.faint, figcaption, .ends, th { color: var(--faint); }
.faint, figcaption, .ends { font-size: .875rem; }
svg.days { display: block; width: 100%; height: 6rem; fill: var(--bar); }
.ends { display: flex; justify-content: space-between; margin: .2rem 0 0; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0 1rem; }
th { text-align: left; font-weight: 400; font-size: .875rem; vertical-align: top; }
tbody th { color: var(--ink); font-size: 1em; }
th, td { padding: .2rem .8rem .2rem 0; vertical-align: top; }
td:last-child, th:last-child { padding-right: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table .n { width: 1%; }
summary { cursor: pointer; padding: .25rem 0; }
.rule > summary { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; list-style: none; padding: .45rem 0; }
.rule > summary::-webkit-details-marker { display: none; }
.rule > summary .name::before { content: "+"; display: inline-block; width: 1.8ch; color: var(--faint); font-variant-numeric: tabular-nums; }
.rule[open] > summary .name::before { content: "−"; }
.rule > summary .name { font-weight: 600; }
.rule svg { grid-column: 1 / -1; display: block; width: 100%; height: .3rem; fill: var(--bar); }
.rule > div { padding: .2rem 0 1.2rem 1.8ch; }
.causes, .examples { list-style: none; padding: 0; margin: 0; }
.causes > li { margin: .9rem 0 0; }
.cause { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; margin: 0; }
.examples > li { margin: .3rem 0 0; padding-left: 1.2ch; border-left: 2px solid var(--line); }
blockquote { margin: 0; }
mark { background: var(--mark); color: inherit; padding: 0 .1em; border-radius: .15em; text-decoration: underline; text-underline-offset: .15em; }
code, pre { font: .9rem/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; }
dt { color: var(--faint); font-size: .875rem; }
dd { margin: 0 0 .5rem; }
input { font: inherit; color: inherit; background: transparent; border: 1px solid var(--faint); border-radius: .25rem; padding: .3rem .5rem; max-width: 100%; }
label { display: inline-flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; max-width: 100%; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.dropping { outline: 3px dashed var(--link); outline-offset: -8px; }
[hidden] { display: none !important; }
@media print {
  :root { --ink: #000; --faint: #333; --paper: #fff; --line: #999; --bar: #444; --mark: #fff; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .tools, #choose { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; opacity: 1; }
  .rule > summary .name::before { content: none; }
  mark { font-weight: 700; padding: 0; }
  svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h2, h3, summary { break-after: avoid; }
  .examples > li, tr, figure { break-inside: avoid; }
}
`;
