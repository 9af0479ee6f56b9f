import type { PageElement, PageWindow } from './page-window.js';

/**
 * The filter of a report: shows the rows (`data-row`: what they are rows of) whose text has what was typed, hides the tables, folds and
 * sections that have none of them, and opens the folds that have some. Runs in the page.
 */
export function filterRows({ document }: PageWindow): void {
  const input = document.getElementById('filter');
  const status = document.getElementById('shown');
  if (input === null || status === null) return;
  const numbers = new Intl.NumberFormat('en-US');
  const rows = [...document.querySelectorAll('[data-row]')].map((element) => ({
    element,
    kind: element.getAttribute('data-row') ?? '',
    text: (element.textContent ?? '').toLowerCase(),
    around: ['table', '.more', 'section'].flatMap((selector) => element.closest(selector) ?? []),
  }));
  const holders = new Set(rows.flatMap(({ around }) => around));
  const folds = new Set(document.querySelectorAll('.more'));
  /** What the filter opened, and closes again. */
  let opened: PageElement[] = [];

  input.addEventListener('input', () => {
    const typed = (input.value ?? '').trim();
    const wanted = typed.toLowerCase();
    const counts = new Map<string, number>();
    const shown = new Set<PageElement>();
    for (const { element, kind, text, around } of rows) {
      const isShown = text.includes(wanted);
      element.toggleAttribute('hidden', !isShown);
      if (!isShown) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      for (const holder of around) shown.add(holder);
    }
    for (const holder of holders) holder.toggleAttribute('hidden', !shown.has(holder));
    for (const fold of opened) fold.toggleAttribute('open', false);
    opened = wanted === '' ? [] : [...folds].filter((fold) => shown.has(fold) && !fold.hasAttribute('open'));
    for (const fold of opened) fold.toggleAttribute('open', true);
    const words = [...counts].map(([kind, count]) => `${numbers.format(count)} ${kind}${count === 1 ? '' : 's'}`);
    const found = words.length === 0 ? 'nothing in this report' : words.join(', ');
    status.textContent = wanted === '' ? '' : `“${typed}”: ${found}`;
  });
}
