/** Files of messages, as the options of a command name them: what they are, and which of their columns are what. */
import { abortable } from '../audit/source/abortable.js';
import { type ColumnField, type ColumnMap, columnFields } from '../audit/source/columns.js';
import { type LineBlock, lineBlocks } from '../audit/source/line-blocks.js';
import { type MessageFilters, selects } from '../audit/source/message-selection.js';
import { type RowStream, readRowFormat } from '../audit/source/row-format.js';
import { createRowReader, rowsOf } from '../audit/source/rows.js';
import { type ByteSource, lineShards, openFile, type ShardSource } from '../audit/source/shards.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { UsageError } from '../errors.js';
import { withFileErrors } from '../files/file-reason.js';
import { inflated } from '../files/gzip.js';
import { type OptionValues, optionGroup, type RunContext } from './command.js';
import { standardInput } from './input-files.js';
import { sourceGroup } from './sources.js';

/** The options of every command that reads many messages from a file. */
export const messagesFileOption = optionGroup(sourceGroup, {
  messages: {
    type: 'string',
    value: 'FILE',
    help: 'messages from a file of NDJSON, CSV, TSV or one JSON array, also gzipped; `-` for standard input',
  },
  map: {
    type: 'string',
    value: 'COLUMNS',
    help: 'which columns of that file are what, `text=body,sentAt=posted`; of text, id, sender, sentAt, conversationId',
  },
});

/** Reads `--map`. Throws `UsageError`. */
export function readColumnMap({ map, messages }: OptionValues<typeof messagesFileOption>): ColumnMap {
  if (map === undefined) return {};
  if (messages === undefined) throw new UsageError('`--map` names columns of a file; add `--messages FILE`');
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

/** How a file of messages is read. */
export interface FileReading {
  readonly map?: ColumnMap | undefined;
  readonly filters: MessageFilters;
}

/**
 * Messages of a file, `-` for standard input, plain or gzip; says on stderr which of its columns are taken for what. Throws `UsageError` when it
 * cannot be opened, `ShapeError` when its beginning is nothing that can be read.
 */
export async function messagesOfFile(path: string, { map = {}, filters }: FileReading, context: RunContext) {
  const isInput = path === '-';
  const name = isInput ? standardInput : path;
  const opened: ByteSource & { readonly bytes?: number; close?(): Promise<void> } = isInput
    ? { chunks: context.stdin() }
    : await withFileErrors('read', path, () => openFile(path));
  const { share = () => undefined, ...source } = opened;
  let stream: RowStream;
  try {
    const bytes = inflated(abortable(opened.chunks, context.interrupted), name);
    stream = await readRowFormat(bytes, { source: name, isNamedCsv: /\.[ct]sv(?:\.gz)?$/i.test(path), map });
    if (stream.isOfMessages && Object.keys(map).length > 0) {
      throw new UsageError(`\`--map\` names columns, and ${name} has messages with \`data.text\`; leave it out`);
    }
    const words = columnWords(stream, map);
    if (words !== undefined) await context.reporter.note(`${name}: ${words}`);
  } catch (error) {
    await opened.close?.();
    throw error;
  }
  const { chunks, format } = stream;
  const { records, head } = format;
  const taken = Object.entries({ ...format.columns, ...map });
  let latest: ShardSource | undefined;
  return {
    ...source,
    share,
    format,
    // None for messages as a platform has them.
    columns: taken.map((pair) => pair.join('=')).join(',') || undefined,
    read: () => latest?.read,
    messages: messagesIn(lineBlocks(chunks, name, { isEager: true, records, head }), stream, name, filters),
    shards: ({ isKept }: { readonly isKept: boolean }) => {
      latest = lineShards({ chunks, share }, name, { isEager: !isKept, records, head });
      return latest;
    },
  };
}

async function* messagesIn(
  blocks: AsyncIterable<LineBlock>,
  { format }: RowStream,
  source: string,
  filters: MessageFilters,
): AsyncGenerator<MessageDraft> {
  const read = createRowReader(format, source);
  for await (const block of blocks) {
    for (const row of rowsOf(block, format)) {
      const message = read(row);
      if (message !== undefined && selects(filters, message)) yield message;
    }
  }
}

/** Which columns are taken for what, in words; undefined for a file of messages, unless it counts milliseconds. */
function columnWords(
  { format: { columns, records }, isInMilliseconds }: RowStream,
  map: ColumnMap,
): string | undefined {
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
