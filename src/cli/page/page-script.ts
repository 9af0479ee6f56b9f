import { compareReports } from './script/compare-pages.js';
import { filterRows } from './script/filter-rows.js';
import { openOnPaper } from './script/open-on-paper.js';
import type { PageWindow } from './script/page-window.js';

/** Shows what works with script alone. Runs in the page. */
function showTools({ document }: PageWindow): void {
  for (const tool of document.querySelectorAll('.tools, #compare')) tool.toggleAttribute('hidden', false);
}

/**
 * The script of `report.html`, without which everything but its tools works: the source of functions that stand by themselves.
 * INVARIANT: each uses its argument and the language alone, no import and no name of its file, and has no `</script` in it.
 */
export const reportScript = `'use strict';
${[showTools, filterRows, openOnPaper, compareReports].map((part) => `(${part})(window);`).join('\n')}
`;
