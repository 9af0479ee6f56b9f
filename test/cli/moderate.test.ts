import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/index.js';
import { startService } from '../../src/service/index.js';
import { ruleSet } from '../http/call.js';
import { until } from '../support/until.js';
import { listenWhile, type Outcome, sluice } from './terminal.js';
import { worldFiles } from './world.js';

const engine = createEngine(ruleSet);

async function files() {
  const world = await worldFiles();
  onTestFinished(world.remove);
  await writeFile(world.file('these.json'), JSON.stringify(ruleSet));
  return world;
}

/** Runs `moderate --json` until `use` is done with it. */
function moderateWhile(
  args: readonly string[],
  use: (url: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return listenWhile(
    ['moderate', '--json', ...args],
    async (printed) => {
      const place = JSON.parse(printed) as { readonly url: string };
      expect(Object.keys(place)).toEqual(['url']);
      await use(place.url);
    },
    env,
  );
}

async function ask(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
  return { status: response.status, json: (await response.json()) as Readonly<Record<string, unknown>> };
}
const statusOf = async (url: string) => (await fetch(url)).status;

describe('sluice moderate', () => {
  it('prints where it is, answers by the rules of a file, and ends with 0', async () => {
    const rules = (await files()).file('these.json');
    let address = '';
    const outcome = await moderateWhile(['--port', '0', '--rules', rules], async (url) => {
      address = url;
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await ask(`${url}/decide`, 'You moron!')).toEqual({
        status: 200,
        json: { ...engine.explain('You moron!'), ageMs: expect.any(Number) },
      });
      const { json } = await ask(`${url}/custom-api?rule=insults`, { contextMessages: [{ ana: 'moron' }] });
      expect(json).toMatchObject({ isMatchingCondition: true, confidence: 1 });
      expect([await statusOf(`${url}/healthz`), await statusOf(`${url}/readyz`)]).toEqual([200, 200]);
    });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(address)).rejects.toThrow();
  });

  it('follows the file of its rules', async () => {
    const { file } = await files();
    await moderateWhile(['--rules', file('these.json')], async (url) => {
      const verdict = async () => (await ask(`${url}/decide`, 'a fine day')).json.verdict;
      expect(await verdict()).toBe('allow');
      const added = { id: 'fine', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['fine'] }] };
      await writeFile(file('these.json'), JSON.stringify({ ...ruleSet, rules: [...ruleSet.rules, added] }));
      await expect.poll(verdict, { timeout: 600_000 }).toBe('blockMessage');
    });
  });

  it('answers by the rules of a platform, with the scores of the demo', async () => {
    const { code } = await moderateWhile(['--demo'], async (url) => {
      expect((await ask(`${url}/decide`, 'You moron!')).json).toMatchObject({ verdict: 'blockMessage' });
      const attachments = [{ url: 'https://media.example/fight.png', mimeType: 'image/png' }];
      const { json } = await ask(`${url}/decide`, { type: 'image', data: { attachments } });
      expect(json).toMatchObject({ unevaluated: expect.any(Array) });
    });
    expect(code).toBe(0);
  });

  it('starts without the platform: not ready until its rules are there', async () => {
    const { file } = await files();
    const down = await startService({ data: file('data') });
    const { apiKey } = down;
    const port = Number(new URL(down.url).port);
    await down.close();
    const env = { SLUICE_BASE_URL: down.url, SLUICE_API_KEY: apiKey };
    const { code, stderr } = await moderateWhile(
      [],
      async (url) => {
        expect([await statusOf(`${url}/healthz`), await statusOf(`${url}/readyz`)]).toEqual([200, 503]);
        expect(await ask(`${url}/decide`, 'x')).toEqual({ status: 503, json: { error: 'the rules are not there' } });
        expect((await ask(`${url}/custom-api`, { contextMessages: [{ a: 'x' }] })).status).toBe(503);
        const up = await startService({ data: file('data'), port, apiKey });
        let ready = 503;
        while (ready !== 200) ready = await statusOf(`${url}/readyz`);
        expect((await ask(`${url}/decide`, 'damn')).status).toBe(200);
        await up.close();
      },
      env,
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: no rules yet of http:.*\n/m);
    expect(stderr).not.toContain(apiKey);
  });

  it('ends when the platform refuses its key', async () => {
    const service = await startService({ data: (await files()).file('data') });
    onTestFinished(() => service.close());
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: 'canary-wrong-key' };
    const { code, stderr } = await sluice(['moderate'], { env });
    expect([code, stderr]).toEqual([4, expect.stringContaining('check SLUICE_API_KEY')]);
    expect(stderr).not.toContain('canary');
  });

  it('asks for the keys of the environment and of a file, and prints none of them', async () => {
    const { file } = await files();
    await writeFile(file('token'), 'canary-token\n');
    const env = { SLUICE_BASIC: 'ana:canary:password' };
    const args = ['--rules', file('these.json'), '--token-file', file('token'), '--log'];
    const outcome = await moderateWhile(
      args,
      async (url) => {
        const status = async (authorization: string) => (await ask(`${url}/decide`, 'x', { authorization })).status;
        expect(await status('Bearer canary-token')).toBe(200);
        expect(await status(`Basic ${btoa('ana:canary:password')}`)).toBe(200);
        expect(await status('Bearer canary')).toBe(401);
        expect([await statusOf(`${url}/metrics`), await statusOf(`${url}/readyz`)]).toEqual([401, 200]);
      },
      env,
    );
    expect(outcome.stdout + outcome.stderr).not.toContain('canary');
    expect(outcome.stderr).toMatch(/^\S+Z POST \/decide 200 \d+ ms$/m);
    const words = await listenWhile(['moderate', '--rules', file('these.json')], async () => {}, env);
    expect(words.stdout).toContain('curl -u "$SLUICE_BASIC" --json');
    expect(words.stdout).not.toContain('canary');
  });

  it('logs requests without their texts and queries', async () => {
    const rules = (await files()).file('these.json');
    const { stderr } = await moderateWhile(['--rules', rules, '--log'], async (url) => {
      await ask(`${url}/decide?explain=false&canary=1`, 'canary moron');
      await ask(`${url}/decide`, { text: 'canary' });
      await ask(`${url}/decide`, 'canary moron');
    });
    const lines = stderr.split('\n').filter((line) => line.includes('POST'));
    expect(lines.map((line) => line.replace(/^\S+Z (.+) \d+ ms$/, '$1'))).toEqual([
      'POST /decide 400',
      'POST /decide 400',
      'POST /decide 200',
    ]);
    expect(stderr).not.toContain('canary');
  });

  it('answers what is in flight before it ends', async () => {
    const rules = (await files()).file('these.json');
    let socket = connect(9, '127.0.0.1').on('error', () => {});
    let received = '';
    const { code } = await moderateWhile(['--rules', rules], async (url) => {
      const { port } = new URL(url);
      socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write('POST /decide HTTP/1.1\r\nhost: x\r\ncontent-length: 7\r\nexpect: 100-continue\r\n\r\n');
      await until(() => received.includes('100 Continue'));
      // The interruption comes behind this function, the rest of the body behind the interruption.
      setTimeout(() => socket.write('"moron"'), 20);
    });
    await until(() => socket.closed);
    expect([code, received]).toEqual([0, expect.stringMatching(/HTTP\/1\.1 200 [\s\S]*"verdict":"blockMessage"/)]);
  });

  it.each<[readonly string[], Readonly<Record<string, string>>, string]>([
    [[], {}, 'no rules; give `--rules FILE`'],
    [['--host', '0.0.0.0'], {}, 'no key is set; set SLUICE_TOKEN, or SLUICE_BASIC to user:password'],
    [['--port', '70000'], {}, '`--port` must be a whole number from 0 to 65535'],
    [[], { SLUICE_BASIC: 'nobody' }, 'SLUICE_BASIC must be user:password'],
    [[], { SLUICE_TOKEN: 'two words' }, 'the token, of `--token-file` or SLUICE_TOKEN, must be visible ascii'],
    [[], { SLUICE_BASIC: ':x' }, 'the user of SLUICE_BASIC must be'],
    [['--reason', 'all'], {}, '`--reason` must be one of full, rule, none'],
    [['--on-unanswered', 'allow'], {}, '`--on-unanswered` must be one of fail, no-match, match'],
    [['--guard', 'of'], {}, '`--guard` must be one of on, off'],
    [['--when-stale', 'block'], {}, '`--when-stale` goes with `--max-stale`'],
    [['--refresh', '0'], {}, '`--refresh` must be a whole number from 1'],
    [['--scorer', 'https://a.example', '--scores', 'x.json'], {}, 'give one of them'],
    [['--token', 'x'], {}, 'unknown option `--token`; did you mean `--token-file`?'],
  ])('%j with %j is a usage error', async (args, env, words) => {
    const { file } = await files();
    await writeFile(file('x.json'), '{}');
    const rules = words.startsWith('no rules') ? [] : ['--rules', file('these.json')];
    const given = args.map((arg) => (arg === 'x.json' ? file('x.json') : arg));
    const { code, stderr, stdout } = await sluice(['moderate', ...rules, ...given], { env });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
  });

  it('warns where other machines can reach it, and takes a key there', async () => {
    const rules = (await files()).file('these.json');
    const { code, stderr } = await moderateWhile(
      ['--rules', rules, '--host', '0.0.0.0'],
      async (url) => expect((await ask(`${url}/decide`, 'x')).status).toBe(401),
      { SLUICE_TOKEN: 'canary' },
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('open to other machines')]);
  });

  it('says that a file of rules cannot be used', async () => {
    const { file } = await files();
    await writeFile(file('bad.json'), '{"rules":7}');
    expect((await sluice(['moderate', '--rules', file('bad.json')])).code).toBe(3);
    expect((await sluice(['moderate', '--rules', file('none.json')])).code).toBe(2);
  });
});
