/** TLS: peers with a certificate that is not valid for them. No part of a request may reach them. */
import type { Socket } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { type PeerRequest, startFaultPeer } from '../../support/fault-peer.js';
import { answering } from '../../support/fault-peer-answers.js';
import { selfSigned } from '../../support/fault-peer-certificate.js';
import { clientOf } from '../../support/http.js';
import { failOnStrays, quickOptions } from './play-faults.js';
import { fewRows, rows } from './rows.js';
import { all, watchAll } from './watch-rows.js';

failOnStrays();

const day = 86_400_000;
const user = ({ target }: PeerRequest) =>
  answering(JSON.stringify({ data: { uid: target.slice(target.lastIndexOf('/') + 1) } }));

describe('TLS certificates', () => {
  const own = { address: '127.0.0.1' };
  const certificates = {
    'that nobody vouches for': selfSigned(own),
    'that has expired': selfSigned({
      ...own,
      notBefore: new Date(Date.now() - 3 * day),
      notAfter: new Date(Date.now() - day),
    }),
    'that is not valid yet': selfSigned({
      ...own,
      notBefore: new Date(Date.now() + day),
      notAfter: new Date(Date.now() + 2 * day),
    }),
    'for another address': selfSigned({ address: '127.0.0.2' }),
    'for another name': selfSigned({ name: 'evil.example' }),
  };

  it('a certificate that is trusted: the peer is a right one', async () => {
    const certificate = selfSigned(own);
    const peer = await startFaultPeer({ certificate, scripts: user });
    const dispatcher = new Agent({ connect: { ca: certificate.cert } });
    expect(await clientOf(peer, { ...quickOptions, dispatcher }).users.get('ann')).toEqual({ uid: 'ann' });
    await dispatcher.close();
  });

  it.each(Object.entries(certificates))('a certificate %s', async (name, certificate) => {
    const peer = await startFaultPeer({ certificate, scripts: user });
    // Trusted as far as can be, unless that is the point: what is wrong must be found all the same.
    const ca = name === 'that nobody vouches for' ? undefined : certificate.cert;
    const dispatcher = new Agent({ connect: { ca } });
    const options = { ...quickOptions, dispatcher };
    expect(await watchAll(peer.url, rows, options)).toEqual(all('network', rows));
    expect(peer.requests).toEqual([]);
    await dispatcher.close();
  });

  it('certificates are checked by the pool of the client too', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', undefined);
    const peer = await startFaultPeer({ certificate: selfSigned(own), scripts: user });
    expect(await watchAll(peer.url, rows)).toEqual(all('network', rows));
    expect(peer.requests).toEqual([]);
  });

  it.each([
    ['plain HTTP in place of a handshake', 'HTTP/1.1 200 OK\r\ncontent-length: 24\r\n\r\n{"data":{"uid":"ann"}}  '],
    ['the end in place of a handshake', ''],
  ])('%s', async (_, words) => {
    const onConnect = (socket: Socket) => void socket.once('data', () => socket.end(words));
    const peer = await startFaultPeer({ scripts: [], onConnect });
    expect(await watchAll(`https://127.0.0.1:${peer.port}/v3`, rows)).toEqual(all('network', rows));
  });

  it('a handshake that never ends', async () => {
    const peer = await startFaultPeer({ scripts: [] });
    const options = { ...quickOptions, timeouts: { totalMs: 250 } };
    const url = `https://127.0.0.1:${peer.port}/v3`;
    expect(await watchAll(url, fewRows, options)).toEqual(all('timeout', fewRows));
  });
});
