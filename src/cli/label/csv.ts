/** The labels of a sample as CSV: for people who would rather fill in a spreadsheet. */
import Papa from 'papaparse';
import { ShapeError } from '../../errors.js';
import { type Label, outcomes } from '../../precision/labels.js';
import { csvRow, withoutFormulas } from '../../tables/csv.js';
import { type LabelSession, outcomeKeys, type SessionItem } from './session.js';

const titles = ['messageId', 'ruleId', 'stratum', 'verdict', 'sender', 'text', 'outcome', 'by'];

/** A number of up to 15 digits, or what holds none: a spreadsheet keeps it. Of others it makes rounded numbers, times and dates. */
const kept = /^(?:[1-9]\d{0,14}|\D*)$/;

/** An id that no spreadsheet changes. */
const safeId = (id: string) => withoutFormulas(kept.test(id) ? id : `'${id}`);

/** All messages of a session, with their labels: lines of CSV behind a byte order mark. No cell begins a formula. */
export function labelsCsv({ items, labels }: LabelSession): string {
  const lines = items.map(({ row: { messageId, message, stratum, decision }, name }) => {
    const { outcome, by } = labels.of(messageId, stratum.ruleId) ?? {};
    const text = typeof message.data?.text === 'string' ? message.data.text : JSON.stringify(message.data ?? {});
    const what = [name, decision.verdict, message.sender, text, outcome, by].map((cell) =>
      withoutFormulas(String(cell ?? '')),
    );
    return csvRow([safeId(messageId), safeId(stratum.ruleId ?? ''), ...what]);
  });
  return `\u{feff}${csvRow(titles)}${lines.join('')}`;
}

/** The labels that a filled spreadsheet has beyond those that are known. Throws `ShapeError` that names the line and what it must have. */
export function labelsOfCsv(text: string, path: string, { items, labels }: LabelSession): Label[] {
  const rows = Papa.parse<Readonly<Record<string, string>>>(text, { header: true, skipEmptyLines: true }).data;
  const rowKey = (messageId = '', ruleId = '') => JSON.stringify([messageId, ruleId]);
  const known = new Map<string, SessionItem>();
  for (const item of items) {
    const {
      messageId,
      stratum: { ruleId = '' },
    } = item.row;
    known.set(rowKey(messageId, ruleId), item).set(rowKey(safeId(messageId), safeId(ruleId)), item);
  }
  return rows.flatMap(({ messageId, ruleId, outcome: written = '', by = '' }, index) => {
    const where = `${path}, row ${index + 2}`;
    const row = known.get(rowKey(messageId, ruleId))?.row;
    if (row === undefined)
      throw new ShapeError(where, 'messageId', 'with its `ruleId` is that of no message of the sample');
    const word = written.trim().toLowerCase();
    if (word === '') return [];
    const outcome = outcomes.find((one) => one === (outcomeKeys[word] ?? word));
    if (outcome === undefined)
      throw new ShapeError(where, 'outcome', `must be one of ${outcomes.join(', ')}, or empty`);
    const label = { messageId: row.messageId, ruleId: row.stratum.ruleId, outcome, by: by === '' ? undefined : by };
    return labels.of(label.messageId, label.ruleId)?.outcome === outcome ? [] : [label];
  });
}
