/**
 * The script of `report.html`: the filter, comparing with another report, and all open on paper in browsers whose style sheets cannot
 * do that. Everything else works without it. Texts of a page are written by `textContent` alone; the other report is parsed into a
 * document that runs and loads nothing.
 */
export const reportScript = `
'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const numbers = new Intl.NumberFormat('en-US');
  for (const part of document.querySelectorAll('.tools, #compare')) part.hidden = false;

  const rows = [...document.querySelectorAll('[data-row]')].map((element) => ({ element, text: element.textContent.toLowerCase() }));
  byId('filter').addEventListener('input', ({ target }) => {
    const wanted = target.value.trim().toLowerCase();
    const counts = { rule: 0, term: 0 };
    for (const { element, text } of rows) {
      element.hidden = !text.includes(wanted);
      if (!element.hidden) counts[element.dataset.row] += 1;
    }
    const counted = (noun) => numbers.format(counts[noun]) + ' ' + noun + (counts[noun] === 1 ? '' : 's');
    byId('shown').textContent = wanted === '' ? '' : counted('rule') + ', ' + counted('term');
  });

  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });

  const make = (name, text, className) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className !== undefined) element.className = className;
    return element;
  };
  const isCount = (value) => typeof value === 'number' && Number.isFinite(value);
  const isRow = (row) => row !== null && typeof row === 'object' && typeof row.id === 'string' && typeof row.name === 'string' && isCount(row.stopped);
  const readReport = (text) => {
    const data = new DOMParser().parseFromString(text, 'text/html').getElementById('report-data');
    if (data === null) throw new Error('no data');
    const report = JSON.parse(data.textContent);
    const { format, messages, verdicts, byRule, byCause } = report;
    const isReport = format === 1 && isCount(messages) && isCount(verdicts.blockMessage) && isCount(verdicts.dropMessage) && byRule.every(isRow) && byCause.every(isRow);
    if (!isReport) throw new Error('other data');
    return report;
  };
  const own = JSON.parse(byId('report-data').textContent);
  const signed = (difference) => (difference > 0 ? '+' : difference < 0 ? '−' : '±') + numbers.format(Math.abs(difference));
  const table = (title, first, changes) => {
    const element = make('table');
    const head = element.createTHead().insertRow();
    for (const [index, name] of [first, 'other', 'this', 'change'].entries()) {
      const cell = make('th', name, index === 0 ? undefined : 'n');
      cell.scope = 'col';
      head.append(cell);
    }
    const body = element.createTBody();
    for (const { name, other, here } of changes) {
      const row = body.insertRow();
      const cell = make('th');
      cell.scope = 'row';
      cell.append(make('bdi', name));
      row.append(cell);
      for (const text of [numbers.format(other), numbers.format(here), signed(here - other)]) row.append(make('td', text, 'n'));
    }
    return [make('h3', title), element];
  };
  const mostChanges = 100;
  const changesOf = (others, ours, nameOf) => {
    const found = new Map();
    for (const row of others) found.set(row.id, { name: nameOf(row), other: row.stopped, here: 0 });
    for (const row of ours) found.set(row.id, { other: 0, ...found.get(row.id), name: nameOf(row), here: row.stopped });
    return [...found.values()]
      .filter(({ other, here }) => other !== here)
      .sort((left, right) => Math.abs(right.here - right.other) - Math.abs(left.here - left.other));
  };
  const section = (title, first, changes) => {
    if (changes.length === 0) return [make('h3', title), make('p', 'no difference')];
    const left = changes.length - mostChanges;
    return [...table(title, first, changes.slice(0, mostChanges)), ...(left > 0 ? [make('p', numbers.format(left) + ' more differ')] : [])];
  };
  const show = (parts) => {
    byId('comparison').replaceChildren(...parts);
  };
  const compare = async (file) => {
    let other;
    try {
      other = readReport(await file.text());
    } catch {
      show([make('p', 'This file holds no report of sluice audit; choose a report.html.')]);
      return;
    }
    const total = (name, of) => ({ name, other: of(other), here: of(own) });
    const totals = [
      total('messages', ({ messages }) => messages),
      total('stopped', ({ verdicts }) => verdicts.blockMessage + verdicts.dropMessage),
      total('blocked', ({ verdicts }) => verdicts.blockMessage),
      total('dropped', ({ verdicts }) => verdicts.dropMessage),
    ];
    const isPart = own.causesLeftOut > 0 || other.causesLeftOut > 0;
    show([
      make('p', own.rules === other.rules ? 'Both are of the same rules.' : 'They are of different rules.'),
      ...table('All messages', 'count', totals),
      ...section('Stopped by rule', 'rule', changesOf(other.byRule, own.byRule, ({ name }) => name)),
      ...section('Stopped by term, pattern or label', 'what matched', changesOf(other.byCause, own.byCause, ({ name, list, rule }) => name + ' (' + (list ?? rule) + ')')),
      ...(isPart ? [make('p', 'Only the terms that stopped the most are in a report; what is 0 here may have been left out.')] : []),
    ]);
  };
  byId('other').addEventListener('change', ({ target }) => {
    if (target.files[0] !== undefined) compare(target.files[0]);
  });
  addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  addEventListener('dragleave', () => document.body.classList.remove('dropping'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const [file] = event.dataTransfer.files;
    if (file === undefined) return;
    compare(file);
    byId('compare').scrollIntoView();
  });
})();
`;
