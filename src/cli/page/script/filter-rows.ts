import type { PageElement, PageWindow } from './page-window.js';

/**
 * The filter of a report: shows the rows (`data-row`: what they are rows of) whose text has what was typed, hides the tables, folds and
 * sections that have none of them, and opens the folds that have some. Rows stand in rows, as the examples of a rule: of those in a row only
 * the ones that have it are shown where there are any, and all of them where the row has it beside them. Runs in the page.
 */
export function filterRows({ document }: PageWindow): void {
  const input = document.getElementById('filter');
  const status = document.getElementById('shown');
  if (input === null || status === null) return;
  // White space and composed letters are as a reader sees them, however they are written.
  const plain = (text: string) => text.normalize().replace(/\s+/g, ' ').toLowerCase();
  const numbers = new Intl.NumberFormat('en-US');
  const rows = [...document.querySelectorAll('[data-row]')].map((element) => ({
    element,
    kind: element.getAttribute('data-row') ?? '',
    text: plain(element.textContent ?? ''),
    outer: element.parentElement?.closest('[data-row]') ?? null,
    around: ['table', 'details', 'section'].flatMap((selector) => element.closest(selector) ?? []),
  }));
  const holders = new Set(rows.flatMap(({ around }) => around));
  const folds = new Set(document.querySelectorAll('details'));
  /** What the filter opened, and closes again. */
  let opened: PageElement[] = [];

  input.addEventListener('input', () => {
    const typed = (input.value ?? '').trim();
    const wanted = plain(typed);
    const counts = new Map<string, number>();
    const shown = new Set<PageElement>();
    const found = rows.filter(({ text }) => text.includes(wanted));
    const hits = new Set(found.map(({ element }) => element));
    const around = new Set(found.map(({ outer }) => outer));
    // A row stands behind the one that it is in.
    for (const { element, kind, outer, around: own } of rows) {
      const isHit = hits.has(element);
      const isShown = outer === null ? isHit : shown.has(outer) && (isHit || !around.has(outer));
      element.toggleAttribute('hidden', !isShown);
      if (!isShown) continue;
      shown.add(element);
      if (isHit && kind !== '') counts.set(kind, (counts.get(kind) ?? 0) + 1);
      for (const holder of own) shown.add(holder);
    }
    for (const holder of holders) holder.toggleAttribute('hidden', !shown.has(holder));
    for (const fold of opened) fold.toggleAttribute('open', false);
    const isToOpen = (fold: PageElement) => (fold.hasAttribute('data-row') ? around.has(fold) : shown.has(fold));
    opened = wanted === '' ? [] : [...folds].filter((fold) => isToOpen(fold) && !fold.hasAttribute('open'));
    for (const fold of opened) fold.toggleAttribute('open', true);
    const words = [...counts].map(([kind, count]) => `${numbers.format(count)} ${kind}${count === 1 ? '' : 's'}`);
    const result = words.length === 0 ? 'no row of this report' : words.join(', ');
    status.textContent = wanted === '' ? '' : `“${typed}”: ${result}`;
  });
}
