/** P14: what holds millions of values is refused in a process with a heap of 160 MB, in which none of it could be parsed or reported. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand } from '../support/built-command.js';

const mebibyte = 1024 * 1024;
const heap = '--max-old-space-size=160';
const minutes = 60_000;

/** So many bytes of one text after the other, the last one without its comma. */
const repeated = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length)).slice(0, -1);

let command = '';
let directory = '';
beforeAll(async () => {
  command = await builtCommand();
  directory = await mkdtemp(join(tmpdir(), 'sluice-small-heap-'));
}, 5 * minutes);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** How a process with a small heap ended. */
function run(args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [heap, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr }),
    );
    child.stdin?.end();
  });
}

describe('responses', () => {
  /** Serves a body of `length` bytes made of `piece`, between `before` and `after`, and prints what the client makes of it. */
  const program = (index: string, [before, piece, after]: readonly string[], bytes: number, call: string) => `
    import { createServer } from 'node:http';
    import { createClient } from ${JSON.stringify(index)};
    const items = Buffer.alloc(${bytes} - ${bytes} % ${piece!.length}, ${JSON.stringify(piece)}).subarray(0, -1);
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const part of [${JSON.stringify(before)}, items, ${JSON.stringify(after)}]) response.write(part);
      response.end();
    }).listen(0, '127.0.0.1', async () => {
      const baseUrl = 'http://127.0.0.1:' + server.address().port + '/v3';
      const client = createClient({ baseUrl, apiKey: 'key', timeouts: { totalMs: ${5 * minutes} } });
      const outcome = await client.${call}.then(() => 'read', (error) => error.code + ' ' + error.message);
      console.log(outcome);
      process.exit();
    });`;
  const tooMany = '`the whole value` holds more than 1,000,000 values';
  const page = ['{"data":[', '{},', ']}'];

  it.each([
    ['a page of 15 MiB of {}', page, 15 * mebibyte, 'messages.list()', tooMany],
    ['a page of 4 MiB of {}', page, 4 * mebibyte, 'messages.list()', tooMany],
    ['the largest page of {} that is parsed', page, 2_990_000, 'messages.list()', '`data[0].id` '],
    [
      'terms',
      ['{"data":{"id":"a","searchTerms":[', '7,', ']}}'],
      1_990_000,
      "rules.get('a')",
      '`data.searchTerms[0]` ',
    ],
    [
      'conditions',
      ['{"data":[{"id":"a","conditions":[', '7,', ']}]}'],
      1_990_000,
      'rules.list()',
      '[0].conditions[0]` ',
    ],
    ['tags', ['{"data":[{"id":"1","tags":[', '7,', ']}]}'], 1_990_000, 'messages.list()', '`data[0].tags[0]` '],
  ] as const)(
    '%s: a ShapeError',
    async (_, body, bytes, call, words) => {
      const index = pathToFileURL(join(dirname(command), '../index.js')).href;
      const { code, output } = await run(['--input-type=module', '-e', program(index, body, bytes, call)]);
      expect(output).toContain('shape GET ');
      expect(output).toContain(words);
      expect(code).toBe(0);
    },
    5 * minutes,
  );
});

describe('files', () => {
  const many = 16 * mebibyte;
  const good =
    '{"rules":[{"id":"a","action":"blockMessage","conditions":[{"operand":"text","value":"x"}]}],"lists":[]}';
  const message = '{"data":{"text":"hello"}}\n';
  const row = (inside: string) =>
    `{"id":"1","sender":"a","receiverType":"user","receiver":"b","sentAt":1,"data":{"attachments":[${inside}]}}\n`;
  const scores = JSON.stringify({
    url: Object.fromEntries(Array.from({ length: 600_000 }, (_, at) => [`l${at}`, 'x'])),
  });

  it.each<readonly [string, Record<string, string>, readonly string[], string]>([
    [
      'rules of 16 MiB of zeros',
      { 'rules.json': `{"rules":[${repeated('0,', many)}],"lists":[]}` },
      ['check', '--rules', 'rules.json', 'x'],
      'rules.json: `the whole value` holds more than 5,000,000 values',
    ],
    [
      'half a million rules that are none',
      { 'rules.json': `{"rules":[${repeated('0,', mebibyte)}],"lists":[]}` },
      ['check', '--rules', 'rules.json', 'x'],
      'rules.json: `rules` must have at most 100000 items',
    ],
    [
      'half a million conditions that are none',
      { 'rules.json': `{"rules":[{"id":"a","conditions":[${repeated('0,', mebibyte)}]}],"lists":[]}` },
      ['check', '--rules', 'rules.json', 'x'],
      'rules.json: `rules[0].conditions` must have at most 100000 items',
    ],
    [
      'a line of 16 MiB of {}',
      { 'rules.json': good, 'messages.ndjson': `${message}[${repeated('{},', many)}]\n` },
      ['audit', '--rules', 'rules.json', '--messages', 'messages.ndjson'],
      'messages.ndjson:2: `the whole line` holds more than 1,000,000 values',
    ],
    [
      '600,000 wrong labels',
      { 'rules.json': good, 'messages.ndjson': message, 'scores.json': scores },
      ['audit', '--rules', 'rules.json', '--messages', 'messages.ndjson', '--scores', 'scores.json'],
      'scores.json: `url.l0` must be a number',
    ],
    [
      'a case of 200,000 wrong terms',
      {
        'rules.json': good,
        'cases.ndjson': `{"name":"a","message":"x","verdict":"allow","terms":[${repeated('7,', 400_000)}]}`,
      },
      ['test', '--rules', 'rules.json', 'cases.ndjson'],
      'cases.ndjson:1: `terms[0]` must be a string',
    ],
    [
      'a stored message of 200,000 wrong attachments',
      { 'messages.ndjson': row(repeated('7,', 400_000)) },
      ['serve', '--data', '.', '--port', '0'],
      'messages.ndjson:1: `data.attachments` must have at most 10000 items',
    ],
    [
      'a stored line of 16 MiB of {}',
      { 'messages.ndjson': row(repeated('{},', many)) },
      ['serve', '--data', '.', '--port', '0'],
      'messages.ndjson:1: `the whole line` holds more than 1,000,000 values',
    ],
  ])(
    '%s: a ShapeError',
    async (name, files, [verb, ...options], words) => {
      const folder = join(directory, name.replaceAll(/\W+/g, '-'));
      await writeFiles(folder, files);
      const paths = options.map((option) =>
        option in files ? join(folder, option) : option === '.' ? folder : option,
      );
      const { code, output } = await run([command, verb!, ...paths]);
      expect(output).toContain(words);
      expect(code).toBe(3);
    },
    5 * minutes,
  );
});

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
