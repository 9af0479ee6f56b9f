import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveMessage } from '../../src/service/embed.js';
import { messageWriter } from '../../src/service/message-writer.js';
import { type InProcess, inProcess } from './in-process.js';
import { data } from './sample-data.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-writer-'));
});
afterAll(() => rm(root, { recursive: true }));

const flags = [undefined, true];
const views = ['nobody', 'alice', 'dave'].flatMap((uid) =>
  flags.flatMap((withTags) =>
    flags.flatMap((mentionsWithBlockedInfo) =>
      flags.map((mentionsWithTagInfo) => ({ uid, withTags, mentionsWithBlockedInfo, mentionsWithTagInfo })),
    ),
  ),
);

/** Writes every message for every view, both ways. */
function expectSame({ state: { store } }: InProcess): void {
  for (const { uid, ...extras } of views) {
    const view = { actor: store.users.get(uid), ...extras };
    const write = messageWriter(view, store);
    for (let position = 0; position < store.messages.size; position += 1) {
      const read = JSON.parse(JSON.stringify(serveMessage(store.messages.read(position), view, store)));
      expect(JSON.parse(write(position)), store.messages.lineAt(position)).toEqual(read);
    }
  }
}

/** Lines as files hold them, with all that could lead a writer astray that does not parse. */
const lines = [
  '{"id":"1",REST,"data":{"text":"plain"}}',
  '{"id":"2",REST,"data":{}}',
  '{"id":"3",REST}',
  '  { "id": "4", REST, "data": { "text": "spaced" } }  \r',
  '{"id":"5",REST, "data": {"text": "as python writes it"}}',
  '{"id":"6",REST,"data":{"text":"twice"},"data":{"text":"the last holds"}}',
  '{"id":"7",REST,"metadata":{"data":{"text":"not this one"}},"data":{"text":"this one"}}',
  '{"id":"8",REST,"metadata":{"data":{"text":"and no other"}}}',
  '{"id":"9",REST,"note":"\\"data\\":{\\"text\\":1}","data":{"text":"quoted"}}',
  '{"id":"10",REST,"note":"{","data":{"text":"a brace before"}}',
  '{"id":"11",REST,"data":{"text":"\\u0022data\\u0022:{ and \\ud83d"}}',
  '{"id":"12",REST,"\\u0064ata":{"text":"spelled otherwise"}}',
  '{"id":"13",REST,"data":{"text":"\\"data\\":{","data":{"data":"data"}}}',
  '{"id":"14",REST,"data":{"data":{"text":"inside"},"text":"out"}}',
  '{"id":"15",REST,"note":"data","data":{"text":"a word before"}}',
  '{"id":"16",REST,"data":{"text":"with parties","entities":{"sender":{"entity":{"uid":"x"},"entityType":"user"}}}}',
  '{"id":"17",REST,"data":null}',
  '{"id":"18",REST,"data":{"text":"null fields"},"tags":null,"parentId":null,"deletedAt":null}',
  '{"id":19,REST,"data":{"text":"ids as numbers"},"parentId":3}',
  '{"id":"20",REST,"tags":["a"],"data":{"text":"$& $1 tags ünd ß"}}',
  '{"id":"21",REST,"data":{"mentions":{"dave":{"uid":"dave"},"carol":7},"text":"mentions"}}',
  '{"id":"22",REST,"data":{"entities":null,"text":"no parties"}}',
  '{"data":{"text":"data first"},"id":"23",REST}',
  '{"id":"24",REST,"data" : {"text":"a space before the colon"}}',
  '{"id":"25",REST,"data":{ "text":"a space inside"}}',
  '{"id":"26",REST,"data":{"1":{},"text":"text after an object"},"later":{"data":1}}',
];
const between = [
  '"sender":"alice","receiverType":"user","receiver":"bob","sentAt":5',
  '"sender":"bob","receiverType":"user","receiver":"alice","sentAt":5,"conversationId":"alice_user_bob"',
  '"sender":"alice","receiverType":"group","receiver":"team","sentAt":5,"category":"message"',
  '"sender":"zoë \\"$&\\"","receiverType":"user","receiver":"zoë \\"$&\\"","sentAt":5',
  '"sender":"alice","receiverType":"group","receiver":"team","sentAt":5,"category":"action","type":"message"',
];

describe('messages written from their lines', () => {
  it('are those that are read and written, for every view', async () => {
    expectSame(await inProcess(data));
    expectSame(
      await inProcess({
        ...data,
        messages: data.messages.map((message) => ({ conversationId: undefined, ...message })),
      }),
    );
  });

  it.each(between)('are so whatever the line looks like: %s', async (rest) => {
    await writeFile(
      join(root, 'messages.ndjson'),
      lines.map((line) => `${line.replace('REST', () => rest)}\n`).join(''),
    );
    const service = await inProcess(root);
    expect(service.state.store.messages.size).toBe(lines.length);
    expectSame(service);
  });

  it('go without what was null, and with ids as strings', async () => {
    const rest = between[0]!;
    await writeFile(
      join(root, 'messages.ndjson'),
      lines.map((line) => `${line.replace('REST', () => rest)}\n`).join(''),
    );
    const { run } = await inProcess(root);
    const page = run('listMessages', { search: new URLSearchParams('limit=1000') }).data as Record<string, unknown>[];
    const byId = new Map(page.map((message) => [message.id, message]));
    expect(Object.keys(byId.get('18')!)).toEqual(expect.not.arrayContaining(['tags', 'parentId', 'deletedAt']));
    expect(byId.get('19')).toMatchObject({ id: '19', parentId: '3' });
    expect(byId.get('17')).not.toHaveProperty('data');
    expect(byId.get('6')).toMatchObject({ data: { text: 'the last holds', entities: { sender: {}, receiver: {} } } });
  });
});
