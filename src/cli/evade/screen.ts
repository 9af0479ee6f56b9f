import type { EvadeRow, Share } from '../../review/evade/measure.js';
import { type Block, type Column, type Group, heading, name, paragraph, table, words } from '../document/document.js';
import { counted, formatCount, formatPercent } from '../terminal/text.js';

/** The output of `sluice evade --json`. */
export interface EvadeReport {
  readonly seed: number;
  readonly perKind: number;
  /** The lists that were measured: terms that were, and those that are not found in a sentence even as they are written. */
  readonly lists: readonly { readonly listId: string | null; readonly terms: number; readonly unfound: number }[];
  /** Totals by kind over all lists. */
  readonly kinds: readonly EvadeTotal[];
  /** Results by kind and list. */
  readonly rows: readonly Omit<EvadeRow, 'passed'>[];
  /** The messages of clean talk, and how many of them are stopped. */
  readonly messages?: { readonly judged: number; readonly stopped: readonly Share[] };
}

/** A kind with what it does, of all lists together. */
export interface EvadeTotal extends Omit<EvadeRow, 'passed' | 'listId'> {
  readonly does: string;
}

/** The name of a reading, for a heading. */
const readingName = ({ folding, inUse }: Pick<Share, 'folding' | 'inUse'>) =>
  !inUse ? folding : folding === 'lists' ? 'in use' : `${folding}, in use`;

/** Percent without decimals, 0 and 100 where that is exact. The ends are rounded outwards, so that they hold what they are of. */
function shareText({ count, low, high }: Share, of: number): string {
  if (of === 0) return '';
  const percent = Math.round((count / of) * 100);
  const shown = percent === 0 && count > 0 ? '<1' : percent === 100 && count < of ? '>99' : percent;
  return `${shown} % ${Math.floor(low * 100)}–${Math.ceil(high * 100)}`;
}

type Counted = Pick<EvadeRow, 'kind' | 'made' | 'found'>;

function kindTable(rows: readonly Counted[]): readonly Block[] {
  const shares = (rows[0]?.found ?? []).map(
    (reading, at): Column<Counted> => ({
      title: readingName(reading),
      cell: ({ found, made }) => shareText(found[at]!, made),
      align: 'right',
      optional: at > 0,
    }),
  );
  const ofMade = ({ found: [used], made }: Counted) => `${formatCount(used!.count)}/${formatCount(made)}`;
  const found: Column<Counted> = { title: 'found', cell: ofMade, align: 'right' };
  return table([{ title: 'kind', cell: ({ kind }) => kind, flexible: 'last' }, found, ...shares], rows);
}

/** Returns the report as a screen; with `verbose` each list by itself too, and what each kind does. */
export function evadeScreen({ kinds, rows, lists, seed, messages }: EvadeReport, verbose: boolean): Group[] {
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const [made, terms] = [sum(kinds.map((kind) => kind.made)), sum(lists.map((list) => list.terms))];
  const unfound = sum(lists.map((list) => list.unfound));
  const note = `percent of those made, with the interval of 95 %, by seed ${seed}`;
  const left = unfound === 0 ? '' : `; left out: ${counted(unfound, 'term')} not found in a sentence even as written`;
  const ofList = (listId: string | null) => rows.filter((row) => row.listId === listId && row.made > 0);
  const talk = messages && `${counted(messages.judged, 'message')} of clean talk, and how many are stopped`;
  return [
    [heading(`${counted(made, 'disguise')} of ${counted(terms, 'term')}, and how many are found`)],
    kindTable(kinds),
    [paragraph(note + left, 'faint')],
    ...(verbose ? lists : []).map(({ listId }) => [
      heading(listId === null ? 'terms in rules' : name(listId)),
      ...kindTable(ofList(listId)),
    ]),
    verbose ? kinds.map(({ kind, does }) => paragraph(words`${kind}: ${does}`)) : [],
    messages === undefined ? [] : [heading(talk!), ...table(stoppedColumns(messages.judged), messages.stopped)],
  ];
}

function stoppedColumns(judged: number): Column<Share>[] {
  const end = (share: number) => (share * 100).toFixed(2);
  return [
    { title: 'reading', cell: readingName },
    { title: 'stopped', cell: ({ count }) => formatCount(count), align: 'right' },
    { title: 'share', cell: ({ count }) => formatPercent(count, judged), align: 'right', optional: true },
    { title: '95 %', cell: ({ low, high }) => `${end(low)}–${end(high)} %`, align: 'right' },
  ];
}
