import type { EvadeRow, Share } from '../../review/evade/measure.js';
import { columns, cut, joinBlocks, wrapped } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import { counted, formatCount, formatPercent } from '../terminal/text.js';

/** What `sluice evade --json` prints. */
export interface EvadeReport {
  readonly seed: number;
  readonly perKind: number;
  /** The lists that were measured: terms that were, and those that are not found in a sentence even as they are written. */
  readonly lists: readonly { readonly listId: string | null; readonly terms: number; readonly unfound: number }[];
  /** By kind, of all lists together. */
  readonly kinds: readonly EvadeTotal[];
  /** By kind and list. */
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

function kindTable(rows: readonly Counted[], output: Output): string[] {
  const shares = (rows[0]?.found ?? []).map(
    (reading, at): Column<Counted> => ({
      title: readingName(reading),
      text: ({ found, made }) => shareText(found[at]!, made),
      align: 'right',
      optional: at > 0,
    }),
  );
  const ofMade = ({ found: [used], made }: Counted) => `${formatCount(used!.count)}/${formatCount(made)}`;
  const found: Column<Counted> = { title: 'found', text: ofMade, align: 'right' };
  return tableLines([{ title: 'kind', text: ({ kind }) => kind, flexible: 'last' }, found, ...shares], rows, output);
}

/** The report as a screen; with `verbose` each list by itself too, and what each kind does. */
export function evadeScreen({ kinds, rows, lists, seed, messages }: EvadeReport, verbose: boolean, output: Output) {
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const [made, terms] = [sum(kinds.map((kind) => kind.made)), sum(lists.map((list) => list.terms))];
  const unfound = sum(lists.map((list) => list.unfound));
  const head = (words: string) => wrapped(words, 'head', output);
  const note = `percent of those made, with the interval of 95 %, by seed ${seed}`;
  const left = unfound === 0 ? '' : `; left out: ${counted(unfound, 'term')} not found in a sentence even as written`;
  const ofList = (listId: string | null) => rows.filter((row) => row.listId === listId && row.made > 0);
  const blocks = [
    head(`${counted(made, 'disguise')} of ${counted(terms, 'term')}, and how many are found`),
    kindTable(kinds, output),
    wrapped(note + left, 'faint', output),
  ];
  if (verbose) {
    const tables = lists.map(({ listId }) => [
      ...head(cut(listId ?? 'terms in rules', columns.name)),
      ...kindTable(ofList(listId), output),
    ]);
    blocks.push(
      ...tables,
      kinds.flatMap(({ kind, does }) => wrapped(`${kind}: ${does}`, undefined, output)),
    );
  }
  if (messages !== undefined) {
    const talk = `${counted(messages.judged, 'message')} of clean talk, and how many are stopped`;
    blocks.push([...head(talk), ...tableLines(stoppedColumns(messages.judged), messages.stopped, output)]);
  }
  return joinBlocks(blocks);
}

function stoppedColumns(judged: number): Column<Share>[] {
  const end = (share: number) => (share * 100).toFixed(2);
  return [
    { title: 'reading', text: readingName },
    { title: 'stopped', text: ({ count }) => formatCount(count), align: 'right' },
    { title: 'share', text: ({ count }) => formatPercent(count, judged), align: 'right', optional: true },
    { title: '95 %', text: ({ low, high }) => `${end(low)}–${end(high)} %`, align: 'right' },
  ];
}
