/** The labels of a sample as CSV: for people who would rather fill in a spreadsheet. */
import Papa from 'papaparse';
import { type Label, outcomeKeys, outcomes } from '../../audit/sample/label.js';
import { csvCell, withoutFormulas } from '../../audit/tables/csv.js';
import { ShapeError } from '../../foundation/errors.js';
import { plainText } from '../document/runs.js';
import type { LabelSession, SessionItem } from './session.js';

const titles = ['messageId', 'ruleId', 'stratum', 'verdict', 'sender', 'text', 'outcome', 'by'];

/** A number of up to 15 digits, or what holds none: a spreadsheet keeps it. Of others it makes rounded numbers, times and dates. */
const kept = /^(?:[1-9]\d{0,14}|\D*)$/;

/** An id that no spreadsheet changes. */
const safeId = (id: string) => withoutFormulas(kept.test(id) ? id : `'${id}`);

/** Returns the messages of a session by the ids of their row, as they are or as they are written; each once, though several terms may have drawn it. */
function byIds({ items }: LabelSession, idOf: (id: string) => string): Map<string, SessionItem> {
  const entries = items.map((item): [string, SessionItem] => {
    const { messageId, stratum } = item.row;
    return [JSON.stringify([messageId, stratum.ruleId ?? ''].map(idOf)), item];
  });
  return new Map(entries);
}

/** Returns all messages of a session with their labels, as CSV with a byte order mark. No cell begins a formula. */
export function labelsCsv(session: LabelSession): string {
  const lines = [...byIds(session, String).values()].map(({ row, name }) => {
    const { messageId, message, stratum, decision } = row;
    const { outcome, by } = session.labels.ofRow(row) ?? {};
    const text = typeof message.data?.text === 'string' ? message.data.text : JSON.stringify(message.data ?? {});
    const what = [plainText(name), decision.verdict, message.sender, text, outcome, by].map((cell) =>
      String(cell ?? ''),
    );
    return [safeId(messageId), safeId(stratum.ruleId ?? ''), ...what].map((cell) => csvCell(cell, 'string')).join(',');
  });
  return `\u{feff}${[titles.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Returns the labels that a filled spreadsheet has beyond those that are known. Throws `ShapeError` that names the line and what it must have. */
export function labelsOfCsv(text: string, path: string, session: LabelSession): Label[] {
  const rows = Papa.parse<Readonly<Record<string, string>>>(text, { header: true, skipEmptyLines: true }).data;
  const known = new Map([...byIds(session, String), ...byIds(session, safeId)]);
  return rows.flatMap(({ messageId, ruleId, outcome: written = '', by = '' }, index) => {
    const where = `${path}, row ${index + 2}`;
    const row = known.get(JSON.stringify([messageId, ruleId ?? '']))?.row;
    if (row === undefined)
      throw new ShapeError(where, 'messageId', 'with its `ruleId` is not that of a message of the sample');
    const word = written.trim().toLowerCase();
    if (word === '') return [];
    const outcome = outcomes.find((one) => one === (outcomeKeys.get(word) ?? word));
    if (outcome === undefined)
      throw new ShapeError(where, 'outcome', `must be one of ${outcomes.join(', ')}, or empty`);
    const label = { messageId: row.messageId, ruleId: row.stratum.ruleId, outcome, by: by === '' ? undefined : by };
    return session.labels.ofRow(row)?.outcome === outcome ? [] : [label];
  });
}
