import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/platform/service/index.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';

/** A control sequence introducer of one byte, and a right-to-left override. */
const hostile = 'evil \u{9b}2J\u{202e}';
const condition = { id: 1, operand: 'text', category: 'word', operator: 'contains', value: [hostile] };
const ruleSet = {
  rules: [{ id: hostile, name: hostile, action: ['kick', hostile], conditions: [condition] }],
  lists: [],
};
const message = { id: '1', conversationId: hostile, sender: 'bob', sentAt: 5, data: { text: `an ${hostile} text` } };

const directory = temporaryFolder();
let service: Service;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  await writeFile(file('rules.json'), JSON.stringify(ruleSet));
  await writeFile(file('messages.ndjson'), `${JSON.stringify(message)}\n`);
  service = await startService({ data: { users: [], groups: [], messages: [], ...ruleSet } });
});
afterAll(async () => {
  await service.close();
});

describe('JSON that is printed or written', () => {
  it.each(['check', 'audit', 'pull'])('holds no characters that terminals act on: %s', async (command) => {
    const rules = ['--rules', file('rules.json')];
    const messages = ['--messages', file('messages.ndjson')];
    const args = {
      check: ['check', '--json', ...rules, message.data.text],
      audit: ['audit', '--json', '--out', file('out'), ...rules, ...messages],
      pull: ['pull', '--json'],
    }[command]!;
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const { stdout } = await sluice(args, { env, isTTY: true });
    const written = command === 'audit' ? await readFile(file('out/decisions.ndjson'), 'utf8') : '';
    expect(stdout + written).not.toMatch(/[\u007f-\u009f\u202a-\u202e]/);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
    expect(stdout).toContain('evil \\u009b2J\\u202e');
    if (command === 'audit') expect(JSON.parse(written).conversationId).toBe(hostile);
  });
});
