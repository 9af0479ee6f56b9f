/**
 * Messages as exports have them: the same rows as NDJSON of messages, and in every other form that
 * a file may have.
 */
import fc from 'fast-check';

/** A row with what each form can hold. */
export interface ExportRow {
  readonly id: string;
  readonly text: string;
  readonly sender?: string;
  readonly sentAt?: number;
  readonly conversation?: string;
}

const pieces = [
  ...['heck', 'HECK', 'a', ',', ';', '\t', '"', '""', '\n', '\r\n', ' ', '\\', '\\n', '[', ']', '{', '}'],
  ...['日本', '😀', '\u0000', '=1', "'"],
];

/** Texts of what CSV and JSON write in ways of their own. */
const oddText = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

const name = fc.constantFrom('ann', 'bob, the builder', 'say "hi"', 'a-name-of-more-than-13-signs', '7', 'ü;\tx');
export const exportRow: fc.Arbitrary<ExportRow> = fc.record(
  {
    id: fc.integer({ min: 1, max: 9999 }).map(String),
    text: oddText,
    sender: name,
    sentAt: fc.integer({ min: 1e8, max: 4e9 }),
    conversation: name,
  },
  { requiredKeys: ['id', 'text'] },
);

const texts = [
  ...['hello there', 'what the "heck", HECK', 'mail bob@example.com\nor not', 'free   money here'],
  ...['你是 笨蛋 吗', '', 'damn;\t,'],
];

/**
 * So many rows, the same ones always, of which the rules of `test/cli/world.ts` stop four in seven.
 */
export function exportRows(count: number): ExportRow[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(index + 1),
    text: texts[index % texts.length]!,
    ...(index % 5 > 0 && { sender: index % 2 === 0 ? 'bob' : 'ana, of the "team"' }),
    ...(index % 7 > 0 && { sentAt: 1_772_323_200 + Math.floor(index / 3) }),
    ...(index % 3 > 0 && { conversation: `group_${index % 4}` }),
  }));
}

/** The message of a row as a platform has it. */
export const messageOf = ({ id, text, sender, sentAt, conversation }: ExportRow) => ({
  data: { text },
  id,
  ...(sender !== undefined && { sender }),
  ...(conversation !== undefined && { conversationId: conversation }),
  ...(sentAt !== undefined && { sentAt }),
});

const header = ['id', 'sender', 'sent_at', 'conversation', 'text'];
const cellsOf = (row: ExportRow) =>
  [row.id, row.sender, row.sentAt, row.conversation, row.text].map((cell) => String(cell ?? ''));

const signs: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\', '"': '\\"' };

interface CsvStyle {
  readonly delimiter?: string;
  readonly newline?: string;
  readonly quoteAll?: boolean;
  readonly isLastEnded?: boolean;
}

/** CSV by RFC 4180, written the plain way. */
export function csvOf(rows: readonly ExportRow[], style: CsvStyle = {}): string {
  const { delimiter = ',', newline = '\n', quoteAll = false, isLastEnded = true } = style;
  const cell = (written: string) => {
    const text = delimiter === '\t' ? written.replace(/[\t\n\r\\]/g, (sign) => signs[sign]!) : written;
    return quoteAll || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [header, ...rows.map(cellsOf)].map((cells) => cells.map(cell).join(delimiter));
  return lines.join(newline) + (isLastEnded ? newline : '');
}

const flat = ({ id, text, sender, sentAt, conversation }: ExportRow) => ({
  messageId: Number(id),
  message: text,
  user: sender ?? null,
  createdAt: sentAt === undefined ? null : sentAt * 1000,
  conversationId: conversation ?? null,
});

/** Cells between tabs with escapes, as databases write them. */
function databaseTsv(rows: readonly ExportRow[]): string {
  const cell = (text: string) => (text === '' ? '\\N' : text.replace(/[\t\n\r\\"]/g, (sign) => signs[sign]!));
  return [header, ...rows.map(cellsOf)].map((cells) => `${cells.map(cell).join('\t')}\n`).join('');
}

/** Every form, by name; each holds the same messages. */
export const forms: Readonly<Record<string, (rows: readonly ExportRow[]) => string>> = {
  ndjson: (rows) => rows.map((row) => `${JSON.stringify(messageOf(row))}\n`).join(''),
  'flat rows': (rows) => rows.map((row) => `${JSON.stringify(flat(row))}\n`).join(''),
  array: (rows) => JSON.stringify(rows.map(messageOf)),
  'array of many lines': (rows) => `\u{feff}\n ${JSON.stringify(rows.map(flat), null, '\t')}\n\n`,
  'array with a line for each': (rows) => `[\n${rows.map((row) => JSON.stringify(messageOf(row))).join(',\n')}\n]`,
  csv: (rows) => csvOf(rows),
  'csv of spreadsheets': (rows) => `\u{feff}${csvOf(rows, { delimiter: ';', newline: '\r\n' })}`,
  'csv in quotes': (rows) => csvOf(rows, { quoteAll: true, newline: '\r\n', isLastEnded: false }),
  tsv: (rows) => csvOf(rows, { delimiter: '\t' }),
  'tsv of databases': databaseTsv,
};
