import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../src/errors.js';
import { apiKey, clientOf, rejection, serve } from '../support/http.js';

const body = '{"data":{"uid":"ann"}}';
const serveAs = (type: string) => serve((response) => void response.writeHead(200, { 'content-type': type }).end(body));

describe('the content type of an answer', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'text/json',
    'application/problem+json',
    'application/vnd.platform.v3+json',
    '',
  ])('%j is read', async (type) => {
    expect(await clientOf(await serveAs(type)).users.get('ann')).toEqual({ uid: 'ann' });
  });

  it.each([
    ['text/html; charset=utf-8', 'came as `text/html`'],
    ['text/plain', 'came as `text/plain`'],
    ['application/jsonp', 'came as `application/jsonp`'],
    ['multipart/byteranges; boundary=x', 'came as `multipart/byteranges`'],
    [`text/${apiKey}`, 'came as `text/[redacted]`'],
    ['no type at all', 'came as another type'],
  ])('%j is refused by name', async (type, words) => {
    const server = await serveAs(type);
    const error = await rejection(clientOf(server).users.get('ann'));
    expect(error).toBeInstanceOf(ShapeError);
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain(apiKey);
    expect(server.received).toHaveLength(1);
  });
});
