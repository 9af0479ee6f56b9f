/** Shows which rules, conditions and terms golden cases cover, as a table and by name. */
import type { RuleCoverage, TermCoverage } from '../../review/cases/coverage.js';
import {
  type Block,
  type Column,
  heading,
  list,
  more,
  name,
  names,
  paragraph,
  quoted,
  table,
  type Words,
  words,
} from '../document/document.js';
import { formatCount } from '../terminal/text.js';

/** Numbers of entries that are shown unless all are. Further ones are counted. */
const mostEntries = { names: 12, terms: 5, sources: 12 } as const;

/**
 * Returns which rules, conditions and terms a passing case matches, and which no passing case
 * matches.
 */
export function coverageBlocks(
  { rules, conditions, terms }: RuleCoverage,
  { verbose }: { readonly verbose: boolean },
): readonly Block[] {
  const figures = [
    { title: 'rules', ...rules },
    { title: 'conditions', ...conditions },
    { title: 'terms', ...terms },
  ];
  const columns: Column<(typeof figures)[number]>[] = [
    { title: 'coverage', cell: (figure) => figure.title },
    {
      title: 'covered',
      cell: ({ covered, total }) => `${formatCount(covered)} of ${formatCount(total)}`,
      align: 'right',
    },
    {
      title: 'share',
      cell: ({ percent }) => `${percent} %`,
      align: 'right',
      tone: ({ percent }) => (percent === 100 ? 'good' : undefined),
    },
  ];
  const open = terms.sources.filter(({ covered, total }) => covered < total);
  const sources = open.slice(0, verbose ? open.length : mostEntries.sources);
  const isCovered = open.length === 0 && conditions.uncovered.length === 0;
  const mostOf = (most: number) => (verbose ? Number.POSITIVE_INFINITY : most);
  const notCovered = [
    ...names(
      'rules',
      rules.uncovered.map((ruleId) => name(ruleId)),
      mostOf(mostEntries.names),
    ),
    ...names('conditions', conditions.uncovered.map(conditionName), mostOf(mostEntries.names)),
    ...sources.flatMap((source) => {
      const share = `${formatCount(source.covered)} of ${formatCount(source.total)}`;
      const missing = source.uncovered.map((term) => quoted(term));
      return names(words`${sourceName(source)}, ${share}`, missing, mostOf(mostEntries.terms));
    }),
  ];
  return [
    ...table(columns, figures),
    ...(isCovered ? [] : [heading('not covered')]),
    ...list(notCovered.map((block) => ({ blocks: [block] }))),
    ...more(open.length - sources.length, 'list', ' and conditions with terms'),
    ...(isCovered || verbose ? [] : [paragraph('all of them: --verbose, or --json', 'faint')]),
  ];
}

/** Returns the name of a list, or the condition that contains the terms. */
function sourceName({ listId, ruleId = '', conditionId = 0 }: TermCoverage): Words {
  return listId === undefined ? conditionName({ ruleId, conditionId }) : name(listId);
}

function conditionName({ ruleId, conditionId }: { readonly ruleId: string; readonly conditionId: number }): Words {
  return words`${name(ruleId)}#${conditionId}`;
}
