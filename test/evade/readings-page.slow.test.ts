/** docs/readings.md: its table of disguises is what its command prints. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sluice } from '../cli/terminal.js';

const page = readFileSync(new URL('../../docs/readings.md', import.meta.url), 'utf8');

it('docs/readings.md has the table that its command prints', async () => {
  const [, args, shown] = /^```sh\nsluice (evade .*)\n```\n\n```text\n([\s\S]*?)^```$/m.exec(page)!;
  const { code, stdout } = await sluice(args!.split(' '), { columns: 80 });
  expect([code, shown]).toEqual([0, stdout]);
});
