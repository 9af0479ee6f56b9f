/** Fault 41 and P17: the key never leaves its origin. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/create-client.js';
import { UsageError } from '../../../src/errors.js';
import { type FaultPeer, startFaultPeer } from '../../support/fault-peer.js';
import { answering } from '../../support/fault-peer-answers.js';
import { clientOf, rejection } from '../../support/http.js';
import { failOnStrays, quickOptions } from './play-faults.js';
import { rows } from './rows.js';
import { canaryKey, watchCall } from './watch-call.js';

failOnStrays();

/** Where a redirect points, from the peer that sends it to one that must never hear of it. */
const locations: readonly (readonly [string, (here: FaultPeer, there: FaultPeer) => string])[] = [
  ['another port', (_, there) => `${there.origin}/v3/users/ann`],
  ['another host', (_, there) => `http://localhost:${there.port}/v3`],
  ['another host on this port', (here) => `http://localhost:${here.port}/v3`],
  ['another scheme', (here) => `https://127.0.0.1:${here.port}/v3`],
  ['no scheme', (_, there) => `//127.0.0.1:${there.port}/v3`],
  ['no scheme, spelt with backslashes', (_, there) => `\\\\127.0.0.1:${there.port}\\v3`],
  ['user info', (here, there) => `http://127.0.0.1:${here.port}@127.0.0.1:${there.port}/`],
  ['user info that holds the key', (_, there) => `http://${canaryKey}:${canaryKey}@127.0.0.1:${there.port}/`],
  ['this origin', (here) => `${here.origin}/v3/moved`],
  ['this very request, again and again', () => ''],
  ['no http at all', () => 'file:///etc/passwd'],
  ['a line break and a header', (_, there) => `${there.origin}/%0d%0aapikey: x`],
];

describe.each([301, 302, 303, 307, 308])('fault 41: %i', (status) => {
  it.each(locations)('to %s is not followed', async (_, locationOf) => {
    const there = await startFaultPeer({ scripts: [answering('{"data":{}}')] });
    const here: FaultPeer = await startFaultPeer({
      scripts:
        ({ target }) =>
        (line) =>
          answering('', status, { location: locationOf(here, there) || target })(line),
    });
    const client = clientOf(here, quickOptions);
    const endings = rows.map((row) => watchCall(() => row.call(client), row.right));
    for (const ending of await Promise.all(endings)) {
      expect(ending.outcome).toBe('http');
      expect(ending.error).toMatchObject({ status });
    }
    expect(there.connections()).toBe(0);
    expect(here.requests).toHaveLength(rows.length);
    expect(here.requests.every(({ target }) => target.startsWith('/v3/') && !target.includes('moved'))).toBe(true);
  });
});

describe('fault 41: a redirect that is odd', () => {
  it.each<[string, Readonly<Record<string, string | readonly string[]>>]>([
    ['without a place', {}],
    ['with two places', { location: ['/a', '/b'] }],
    ['by refresh', { refresh: '0; url=/elsewhere' }],
  ])('%s is not followed', async (_, fields) => {
    const peer = await startFaultPeer({ scripts: [answering('', 302, fields)] });
    const error = await rejection(clientOf(peer, quickOptions).users.get('ann'));
    expect(error).toMatchObject({ code: 'http', status: 302 });
    expect(peer.requests).toHaveLength(1);
  });

  it('is not learnt from alternative services or a base in the body', async () => {
    const there = await startFaultPeer({ scripts: [] });
    const fields = { 'alt-svc': `h2="127.0.0.1:${there.port}"`, link: `<${there.origin}>; rel=next` };
    const peer = await startFaultPeer({ scripts: [answering('{"data":{"uid":"ann"}}', 200, fields)] });
    const client = clientOf(peer, quickOptions);
    for (let count = 0; count < 3; count++) await client.users.get('ann');
    expect(there.connections()).toBe(0);
    expect(peer.requests).toHaveLength(3);
  });
});

describe('cursors that carry addresses', () => {
  it.each([
    { id: 'http://127.0.0.1:THERE/v3/messages' },
    { id: '//127.0.0.1:THERE/' },
    { id: '../../../users/ann' },
    { id: '1&apikey=x#@127.0.0.1:THERE' },
    { id: '1\r\nhost: 127.0.0.1:THERE' },
    { id: '1', url: 'http://127.0.0.1:THERE/', href: 'http://127.0.0.1:THERE/', host: '127.0.0.1:THERE' },
    { id: '1', affix: 'append', sentAt: 1, path: '/v3/users', origin: 'http://127.0.0.1:THERE' },
  ])('%j stays a parameter', async (cursor) => {
    const there = await startFaultPeer({ scripts: [] });
    const next = JSON.parse(JSON.stringify(cursor).replaceAll('THERE', String(there.port)));
    const first = JSON.stringify({ data: [{ id: '1' }], meta: { next, links: { next: there.origin } } });
    const peer = await startFaultPeer({ scripts: [answering(first), answering('{"data":[]}')] });
    for await (const _ of clientOf(peer, quickOptions).messages.iterate({ sender: 'ann' }));
    expect(there.connections()).toBe(0);
    expect(peer.requests).toHaveLength(2);
    const { pathname, searchParams } = new URL(peer.requests[1]!.target, peer.origin);
    expect(pathname).toBe('/v3/messages');
    expect(searchParams.get('id')).toBe(next.id);
    expect(
      [...searchParams.keys()].filter((name) => !['affix', 'id', 'sentAt', 'limit', 'sender'].includes(name)),
    ).toEqual([]);
  });
});

describe('base addresses that are not what they seem', () => {
  it.each([
    'http://127.0.0.1@evil.example/v3',
    'https://user:secret@api.example/v3',
    'http://evil.example/v3',
    'http://127.0.0.1.evil.example/v3',
    'http://localhost.evil.example/v3',
    'http://127.0.0.1%2eevil.example/v3',
    'http://[::ffff:7f00:1]:80/v3',
    'http://0.0.0.0/v3',
    'https://api.example/v3?x=1',
    'https://api.example/v3#x',
    'ftp://api.example/v3',
    'javascript:alert(1)',
    'file:///v3',
    '//api.example/v3',
    'api.example/v3',
    '',
  ])('%j is refused without being shown', (baseUrl) => {
    const make = () => createClient({ baseUrl, apiKey: canaryKey });
    expect(make).toThrow(UsageError);
    try {
      make();
    } catch (error) {
      expect(String(error)).not.toContain('evil');
      expect(String(error)).not.toContain('secret');
    }
  });
});
