import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scoresFromTable } from '../../src/audit/source/scores.js';
import { createEngine, readRuleSetFile } from '../../src/index.js';
import { startService } from '../../src/platform/service/index.js';
import { ruleSet } from '../http/call.js';
import { until } from '../support/until.js';
import { ask, files, moderateWhile, statusOf } from './moderating.js';
import { listenWhile, sluice } from './terminal.js';

const engine = createEngine(ruleSet);
const demoScores = JSON.parse(
  await readFile(new URL('../../fixtures/data/scores.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, number>>;

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

  it('says on stderr and in its metrics that a scorer changed its scale', async () => {
    const rules = (await files()).file('these.json');
    const { stderr } = await moderateWhile(['--rules', rules], async (url) => {
      const judged = (spam: number) =>
        ask(`${url}/decide`, { message: 'hello', scores: [{ operand: 'text', labels: { spam } }] });
      const warnings = async () => /^sluice_scores_warning.*/m.exec(await (await fetch(`${url}/metrics`)).text())?.[0];
      await judged(1.2);
      for (let index = 0; index < 40; index++)
        expect([await warnings(), (await judged(index / 40)).status]).toEqual([undefined, 200]);
      expect(await warnings()).toBe('sluice_scores_warning{code="scores-up-to-one"} 1');
    });
    expect(stderr).toMatch(/^warning: none of the last forty scores of `spam` is above 1: .*\n$/);
  });

  it('answers by the rules of a platform, with the scores of the demo', async () => {
    const { code } = await moderateWhile(['--demo'], async (url) => {
      expect((await ask(`${url}/decide`, 'You moron!')).json).toMatchObject({ verdict: 'blockMessage' });
      const [picture] = Object.entries(demoScores).find(([, labels]) => (labels['Any unsafe content'] ?? 0) > 90)!;
      const scored = { type: 'image', data: { url: picture } };
      expect((await ask(`${url}/decide`, scored)).json).toMatchObject({ verdict: 'dropMessage' });
      const other = { type: 'image', data: { url: `${picture}?` } };
      expect((await ask(`${url}/decide`, other)).json).toMatchObject({ verdict: 'allow' });
    });
    expect(code).toBe(0);
  });

  it('leaves no line of its start on a terminal', async () => {
    const ticks = new Set<() => void>();
    const use = async () => expect(ticks.size).toBe(0);
    const service = await startService({ data: (await files()).file('data') });
    onTestFinished(() => service.close());
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const { stdout } = await listenWhile(['moderate'], use, env, { isTTY: true, ticks });
    expect(stdout).toMatch(/^answering at /);
  });

  it('says once that scores count to 1, answers for a scorer that is not there, and takes a deadline', async () => {
    const { file } = await files();
    const conditions = [{ operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_70'] }];
    await writeFile(
      file('toxic.json'),
      JSON.stringify({ rules: [{ id: 'r', action: 'blockMessage', conditions }], lists: [] }),
    );
    const scorer = createServer((_, response) => response.end('{"labels":{"toxicity":0.9}}')).listen(0, '127.0.0.1');
    await once(scorer, 'listening');
    const scorerUrl = `http://127.0.0.1:${(scorer.address() as AddressInfo).port}/`;
    const args = [
      '--rules',
      file('toxic.json'),
      '--scorer',
      scorerUrl,
      '--deadline',
      '600',
      '--on-unanswered',
      'match',
    ];
    const { stderr, code } = await moderateWhile(args, async (url) => {
      const texts = Array.from({ length: 25 }, (_, at) => `you people ${at}`);
      const { json } = await ask(`${url}/decide/batch?explain=false`, texts);
      expect(json).toEqual(texts.map(() => ({ verdict: 'allow', unevaluated: 0 })));
      scorer.closeAllConnections();
      await new Promise((resolve) => scorer.close(resolve));
      const platform = { contextMessages: [{ ana: 'something new' }] };
      expect((await ask(`${url}/custom-api`, platform)).json).toMatchObject({ isMatchingCondition: true });
    });
    expect([code, stderr.match(/^warning: none of 20 scored texts and files has a score above 1/gm)?.length]).toEqual([
      0, 1,
    ]);
  });

  it('takes scores of a file by address, by id and by text, as an audit does', async () => {
    const { file } = await files();
    const condition = (operand: string, label: string) => ({
      operand,
      category: label,
      value: [`${label}_greaterThan_50`],
    });
    const conditions = [condition('text', 'toxicity'), condition('custom', 'toxicity'), condition('image', 'gore')];
    const picture = 'https://files.example/a.png';
    await writeFile(
      file('scored.json'),
      JSON.stringify({ rules: [{ id: 'r', action: 'blockMessage', conditions }], lists: [] }),
    );
    const scores = { m1: { toxicity: 51 }, 'you people': { toxicity: 90 }, [picture]: { toxicity: 99, gore: 99 } };
    await writeFile(file('own-scores.json'), JSON.stringify(scores));
    const custom = (id: string) => ({ id, category: 'custom', data: { customData: { body: 'you people' } } });
    const messages = [
      'you people',
      'you',
      picture,
      { id: 'm1', data: { text: 'you' } },
      { type: 'image', data: { url: picture } },
      custom('m1'),
      custom('m2'),
    ];
    await moderateWhile(['--rules', file('scored.json'), '--scores', file('own-scores.json')], async (url) => {
      const { json } = await ask(`${url}/decide/batch?explain=false`, messages);
      const table = new Map(Object.entries(scores));
      const engine = createEngine(await readRuleSetFile(file('scored.json')));
      expect(json).toEqual(
        messages.map((message) => {
          const { verdict, unevaluated } = engine.explain(message, scoresFromTable(message, table));
          return { verdict, unevaluated: unevaluated.length };
        }),
      );
      expect(JSON.stringify(json).match(/block|allow/g)).toEqual([
        'block',
        'allow',
        'allow',
        'block',
        'block',
        'block',
        'allow',
      ]);
    });
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
      socket.write(
        'POST /decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 7\r\nexpect: 100-continue\r\n\r\n',
      );
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
    [['--when-stale', 'block'], {}, '`--when-stale` goes with `--max-stale SECONDS`'],
    [['--max-released', '5'], {}, '`--max-released` goes with `--canary [N]`'],
    [['--canary', '5%'], {}, '`--canary` must be a whole number from 1 to 100000'],
    [
      ['--canary', '--max-newly-stopped', '101%'],
      {},
      '`--max-newly-stopped` must be a whole number of messages, or a share',
    ],
    [['--accept-after', '2'], {}, 'unknown option `--accept-after`; did you mean `--accept-file`?'],
    [['--refresh', '0'], {}, '`--refresh` must be a whole number from 1'],
    [['--scorer', 'https://a.example', '--scores', 'x.json'], {}, 'exclude each other'],
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

  it('without a key takes what no page of a browser can send: requests to loopback, with bodies of json', async () => {
    const rules = (await files()).file('these.json');
    await moderateWhile(['--rules', rules], async (url) => {
      const { port } = new URL(url);
      const status = async (headers: Readonly<Record<string, string>>, path = '/decide', method = 'POST') =>
        new Promise<readonly [number | undefined, string]>((resolve, reject) => {
          const asking = request({ port, path, method, headers, setHost: false }, (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (chunk) => {
              text += chunk;
            });
            response.on('end', () => resolve([response.statusCode, text]));
          });
          asking.on('error', reject).end(method === 'POST' ? '"x"' : undefined);
        });
      const type = 'application/json';
      const hosts = ['localhost', 'LOCALHOST:80', '127.0.0.1', `127.0.0.1:${port}`, '127.8.9.1', '[::1]', '[::1]:8080'];
      for (const host of hosts) expect([host, (await status({ host, 'content-type': type }))[0]]).toEqual([host, 200]);
      expect((await status({ 'content-type': type }))[0]).toBe(200);
      const others = [
        'rebound.example',
        `rebound.example:${port}`,
        '127.0.0.1.example',
        'localhost.example',
        '10.0.0.1',
        '[::2]',
        '',
      ];
      expect((await status({ host: 'x@127.0.0.1', 'content-type': type }))[0]).toBe(400);
      for (const host of others) {
        for (const [path, method] of [
          ['/decide', 'POST'],
          ['/readyz', 'GET'],
          ['/metrics', 'GET'],
          ['/none', 'GET'],
        ]) {
          const [code, text] = await status({ host, 'content-type': type }, path, method);
          expect([host, code, JSON.parse(text).error]).toEqual([host, 403, expect.stringContaining('set a key')]);
        }
      }
      const host = 'localhost';
      for (const good of ['application/json; charset=utf-8', 'Application/JSON ;x'])
        expect([good, (await status({ host, 'content-type': good }))[0]]).toEqual([good, 200]);
      for (const bad of ['text/plain', 'text/plain;application/json', 'application/jsonp', 'multipart/form-data']) {
        for (const path of ['/decide', '/decide/batch', '/custom-api']) {
          const [code, text] = await status({ host, 'content-type': bad }, path);
          expect([bad, code]).toEqual([bad, 415]);
          expect(JSON.parse(text).error).toContain('`content-type: application/json`');
        }
      }
      expect((await status({ host }))[0]).toBe(415);
      expect((await status({ host, 'access-control-request-method': 'POST' }, '/decide', 'OPTIONS'))[0]).toBe(405);
    });
    const token = { SLUICE_TOKEN: 'canary' };
    await moderateWhile(
      ['--rules', rules],
      async (url) => {
        const headers = { authorization: 'Bearer canary', 'content-type': 'text/plain', host: 'moderation.example' };
        expect((await ask(`${url}/decide`, 'x', headers)).status).toBe(200);
      },
      token,
    );
  });

  it('says that a file of rules cannot be used', async () => {
    const { file } = await files();
    await writeFile(file('bad.json'), '{"rules":7}');
    expect((await sluice(['moderate', '--rules', file('bad.json')])).code).toBe(3);
    expect((await sluice(['moderate', '--rules', file('none.json')])).code).toBe(2);
  });
});
