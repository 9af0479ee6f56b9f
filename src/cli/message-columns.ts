/** Columns of a file of messages on the command line: the option that names them, and the note on which column was read as which field. */
import { type ColumnField, type ColumnMap, columnFields } from '../audit/source/columns.js';
import type { FoundRows } from '../audit/source/row-format.js';
import { UsageError } from '../foundation/errors.js';
import { type OptionValues, optionGroup } from './command.js';
import { sourceGroup } from './sources.js';

/** The options of every command that reads many messages from a file. */
export const messagesFileOption = optionGroup(sourceGroup, {
  messages: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'messages from a file of NDJSON, CSV, TSV or one JSON array, also gzipped; `-` for standard input; may be given several times',
  },
  map: {
    type: 'string',
    value: 'COLUMNS',
    needs: ['messages'],
    help: 'which of its columns are what, `text=body,sentAt=posted`; of text, id, sender, sentAt, conversationId',
  },
});

/** Reads `--map`. Throws `UsageError`. */
export function readColumnMap({ map }: OptionValues<typeof messagesFileOption>): ColumnMap {
  if (map === undefined) return {};
  const found: Partial<Record<ColumnField, string>> = {};
  // Behind a comma that begins no other field, the name of a column goes on.
  for (const part of map.split(/,(?=\w+=)/)) {
    const [name = ''] = part.split('=', 1);
    const field = columnFields.find((known) => known === name);
    if (field === undefined || !part.includes('=') || found[field] !== undefined) {
      throw new UsageError(
        `\`--map\` must be like \`text=body,sentAt=posted\`, each once of ${columnFields.join(', ')}`,
      );
    }
    found[field] = part.slice(name.length + 1);
  }
  if (found.text === '') throw new UsageError('`--map text=` names no column; a message needs its text');
  return found;
}

/** Columns as `--map` has them; undefined for none. */
export function writtenColumns(columns: ColumnMap): string | undefined {
  const pairs = Object.entries(columns).map((pair) => pair.join('='));
  return pairs.length === 0 ? undefined : pairs.join(',');
}

/** Returns which columns are taken for what, in words; undefined for a file of messages, unless it counts milliseconds. */
export function columnWords(rows: FoundRows, map: ColumnMap = {}): string | undefined {
  const { format, isInMilliseconds } = rows;
  const { columns, records } = format;
  if (columns === undefined) return isInMilliseconds ? '`sentAt` counts milliseconds, and is read as such' : undefined;
  const { delimiter = ',' } = records;
  const sign = delimiter === ',' ? '' : `, cells between ${delimiter === '\t' ? 'tabs' : `\`${delimiter}\``}`;
  const taken = columnFields.map((field) => {
    const column = columns[field];
    if (column === undefined) return `no ${field}${map[field] ? `: no \`${map[field]}\` in the first row` : ''}`;
    return `${field} from \`${column}\`${field === 'sentAt' && isInMilliseconds ? ' (in milliseconds)' : ''}`;
  });
  return taken.join(', ') + sign;
}
