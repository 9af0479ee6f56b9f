import type { PageElement, PageWindow } from './page-window.js';

/** Opens all that is folded while the page is printed, in browsers whose style sheets cannot do that. Runs in the page. */
export function openOnPaper(window: PageWindow): void {
  let opened: PageElement[] = [];
  window.addEventListener('beforeprint', () => {
    opened = [...window.document.querySelectorAll('details:not([open])')];
    for (const details of opened) details.toggleAttribute('open', true);
  });
  window.addEventListener('afterprint', () => {
    for (const details of opened) details.toggleAttribute('open', false);
  });
}
