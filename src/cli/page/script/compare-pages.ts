import type { PageElement, PageFile, PageNode, PageWindow } from './page-window.js';

/**
 * Compares the report with another one that is chosen or dropped on the page: its `#report-data` is all that is read of it. Texts are
 * written by `textContent` alone. Runs in the page.
 */
export function compareReports(window: PageWindow): void {
  interface Row {
    readonly id: string;
    readonly name: string;
    readonly stopped: number;
    /** Of a cause. */
    readonly list?: string | null;
    readonly rule?: string;
  }
  interface Report {
    readonly format: 1;
    readonly rules: unknown;
    readonly messages: number;
    readonly verdicts: { readonly blockMessage: number; readonly dropMessage: number };
    readonly byRule: readonly Row[];
    readonly byCause: readonly Row[];
    readonly causesLeftOut?: number;
  }
  interface Change {
    readonly name: string;
    readonly other: number;
    readonly here: number;
  }
  const mostChanges = 100;
  const { document } = window;
  const ownData = document.getElementById('report-data')?.textContent;
  const chosen = document.getElementById('other');
  const section = document.getElementById('compare');
  const result = document.getElementById('comparison');
  if (ownData == null || chosen === null || section === null || result === null) return;
  const own: Report = JSON.parse(ownData);
  const numbers = new Intl.NumberFormat('en-US');

  const make = (name: string, text?: string, attributes: Readonly<Record<string, string>> = {}): PageElement => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    return element;
  };
  const makeWith = (name: string, children: readonly PageNode[], attributes: Readonly<Record<string, string>> = {}) => {
    const element = make(name, undefined, attributes);
    element.append(...children);
    return element;
  };

  const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null;
  const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
  const isRows = (value: unknown): value is readonly Row[] =>
    Array.isArray(value) &&
    value.every(
      (row) => isObject(row) && typeof row.id === 'string' && typeof row.name === 'string' && isCount(row.stopped),
    );
  const isReport = (value: unknown): value is Report =>
    isObject(value) &&
    value.format === 1 &&
    isCount(value.messages) &&
    isObject(value.verdicts) &&
    isCount(value.verdicts.blockMessage) &&
    isCount(value.verdicts.dropMessage) &&
    isRows(value.byRule) &&
    isRows(value.byCause);
  const readReport = (text: string): Report | undefined => {
    const data = new window.DOMParser().parseFromString(text, 'text/html').getElementById('report-data')?.textContent;
    try {
      const report: unknown = JSON.parse(data ?? 'null');
      return isReport(report) ? report : undefined;
    } catch {
      return undefined;
    }
  };

  const signed = (difference: number) =>
    (difference > 0 ? '+' : difference < 0 ? '−' : '±') + numbers.format(Math.abs(difference));
  const headCell = (name: string, index: number) =>
    make('th', name, { scope: 'col', ...(index > 0 && { class: 'n' }) });
  const tableRow = ({ name, other, here }: Change) =>
    makeWith('tr', [
      makeWith('th', [make('bdi', name)], { scope: 'row' }),
      ...[numbers.format(other), numbers.format(here), signed(here - other)].map((text) =>
        make('td', text, { class: 'n' }),
      ),
    ]);
  const table = (title: string, first: string, changes: readonly Change[]) => [
    make('h3', title),
    makeWith('table', [
      makeWith('thead', [makeWith('tr', [first, 'other', 'this', 'change'].map(headCell))]),
      makeWith('tbody', changes.map(tableRow)),
    ]),
  ];
  const changesOf = (others: readonly Row[], ours: readonly Row[], nameOf: (row: Row) => string): Change[] => {
    const found = new Map<string, Change>();
    for (const row of others) found.set(row.id, { name: nameOf(row), other: row.stopped, here: 0 });
    for (const row of ours)
      found.set(row.id, { other: found.get(row.id)?.other ?? 0, name: nameOf(row), here: row.stopped });
    return [...found.values()]
      .filter(({ other, here }) => other !== here)
      .sort((left, right) => Math.abs(right.here - right.other) - Math.abs(left.here - left.other));
  };
  const changeTable = (title: string, first: string, changes: readonly Change[]) => {
    if (changes.length === 0) return [make('h3', title), make('p', 'no difference')];
    const left = changes.length - mostChanges;
    const rest = left > 0 ? [make('p', `${numbers.format(left)} more differ`)] : [];
    return [...table(title, first, changes.slice(0, mostChanges)), ...rest];
  };

  const compare = async (file: PageFile): Promise<void> => {
    const other = readReport(await file.text().catch(() => ''));
    if (other === undefined) {
      result.replaceChildren(make('p', 'This file holds no report of sluice audit; choose a report.html.'));
      return;
    }
    const total = (name: string, of: (report: Report) => number) => ({ name, other: of(other), here: of(own) });
    const totals = [
      total('messages', ({ messages }) => messages),
      total('stopped', ({ verdicts }) => verdicts.blockMessage + verdicts.dropMessage),
      total('blocked', ({ verdicts }) => verdicts.blockMessage),
      total('dropped', ({ verdicts }) => verdicts.dropMessage),
    ];
    const rules = changesOf(other.byRule, own.byRule, ({ name }) => name);
    const causes = changesOf(
      other.byCause,
      own.byCause,
      ({ name, list, rule }) => `${name} (${list ?? rule ?? 'no rule'})`,
    );
    const isPart = (own.causesLeftOut ?? 0) > 0 || (other.causesLeftOut ?? 0) > 0;
    const partWords = 'Only the terms that stopped the most are in a report; what is 0 here may have been left out.';
    result.replaceChildren(
      make('p', own.rules === other.rules ? 'Both are of the same rules.' : 'They are of different rules.'),
      ...table('All messages', 'count', totals),
      ...changeTable('Stopped by rule', 'rule', rules),
      ...changeTable('Stopped by term, pattern or label', 'what matched', causes),
      ...(isPart ? [make('p', partWords)] : []),
    );
  };

  chosen.addEventListener('change', () => {
    const file = chosen.files?.[0];
    if (file !== undefined) compare(file);
  });
  window.addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  window.addEventListener('dragleave', () => document.body.classList.remove('dropping'));
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    compare(file);
    section.scrollIntoView();
  });
}
