import { describe, expect, it } from 'vitest';
import { turns } from '../../support/until.js';
import { answersIn, ask, errorOf, open, putTags, requestBytes, requestsTaken, serve } from './raw.js';

const close = 'connection: close';

describe('pipelined requests', () => {
  it('are answered in order, whatever each of them is', async () => {
    const service = await serve();
    const bytes = [
      requestBytes(service, 'GET /v3/users/alice'),
      putTags(service, ['one']),
      requestBytes(service, 'HEAD /v3/users/bob'),
      requestBytes(service, 'GET /v3/users/nobody'),
      requestBytes(service, 'OPTIONS /v3/messages'),
      requestBytes(service, 'GET /openapi.json'),
      requestBytes(service, 'GET /v3/users/carol', [close]),
    ];
    const answers = await ask(service, bytes.join(''), [2]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 204, 200, 200]);
    expect(JSON.parse(answers[6]!.body)).toMatchObject({ data: { uid: 'carol' } });
  });

  it('take effect in order: what is read behind a PUT is what it wrote', async () => {
    const service = await serve();
    const tags = Array.from({ length: 20 }, (_, index) => `tag${index}`);
    // A PUT without tags changes nothing and says how things stand.
    const look = putTags(service, []).replace(/content-length: \d+\r\n\r\n.*$/s, 'content-length: 2\r\n\r\n{}');
    const bytes = tags.map((tag) => putTags(service, [tag]) + look).join('');
    const answers = await ask(service, bytes + requestBytes(service, 'GET /v3/users/bob', [close]));
    const seen = answers.slice(0, -1).map(({ body }) => JSON.parse(body).data[0].tags);
    expect(seen).toEqual(tags.flatMap((tag) => [[tag], [tag]]));
  });

  it('wait for a slow one before them, and the order holds', async () => {
    const service = await serve({
      faults: { faults: [{ kind: 'latency', ms: 120, path: '/users/{uid}', count: 1 }] },
    });
    const bytes = requestBytes(service, 'GET /v3/users/alice') + requestBytes(service, 'GET /v3/groups/team', [close]);
    const [first, second] = await ask(service, bytes);
    expect([first, second].map((answer) => Object.keys(JSON.parse(answer!.body).data)[0])).toEqual(['uid', 'guid']);
  });

  it('in thousands are all answered, also when the answers are read late', async () => {
    const service = await serve();
    const wire = open(service);
    const count = 1_500;
    wire.socket.pause();
    const taken = requestsTaken(1);
    wire.socket.write(requestBytes(service, 'GET /v3/messages?limit=5').repeat(count - 1));
    wire.socket.write(requestBytes(service, 'GET /v3/messages?limit=5', [close]));
    await taken;
    // The service goes on until it can write no further.
    await turns(200);
    wire.socket.resume();
    await wire.ended;
    const answers = answersIn(wire.text());
    expect(answers).toHaveLength(count);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    wire.socket.destroy();
  });

  it('behind the last one that the connection carries are not heard', async () => {
    const service = await serve();
    const answers = await ask(
      service,
      requestBytes(service, 'GET /v3/users/bob', [close]) + putTags(service, ['late']),
    );
    expect(answers).toHaveLength(1);
    const look = putTags(service, [], [close]).replace('{"tags":[]}', '{"tagz":[]}');
    expect(JSON.parse((await ask(service, look))[0]!.body).data[0].tags ?? []).toEqual([]);
  });

  it('that turn into nonsense are answered up to it, and then refused', async () => {
    const service = await serve({
      faults: { faults: [{ kind: 'latency', ms: 50, path: '/users/{uid}', count: 1 }] },
    });
    const answers = await ask(
      service,
      `${requestBytes(service, 'GET /v3/users/alice').repeat(2)}\x00\x01 nonsense\r\n\r\n`,
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    errorOf(answers[2]!);
  });

  it('whose body turns into nonsense while it waits costs those before it nothing', async () => {
    const service = await serve({
      faults: { faults: [{ kind: 'latency', ms: 80, path: '/users/{uid}', count: 1 }] },
    });
    const headers = ['onBehalfOf: alice', 'content-type: application/json', 'transfer-encoding: chunked'];
    const spoiled = requestBytes(service, 'PUT /v3/users/bob/conversation', headers, '5\r\n{"tag\r\nzz\r\n');
    const answers = await ask(service, requestBytes(service, 'GET /v3/users/alice') + spoiled);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });
});
