import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, endpoints, type Operation } from '../../src/platform/contract/endpoints.js';
import {
  type MessageParameter,
  messageParameters,
  pageLimit,
  repeatedLists,
} from '../../src/platform/contract/message-query.js';
import {
  type OpenApiDocument,
  type OpenApiOperation,
  openApiDocument,
  type Service,
  startService,
} from '../../src/platform/service/index.js';
import { callerOf, serveSample } from './call.js';
import { faultsOf, resolve } from './hygiene/json-schema.js';

const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument()));
const names = Object.keys(endpoints) as Operation[];
const rowOf = (name: Operation): Endpoint => endpoints[name];
const operationOf = (name: Operation): OpenApiOperation =>
  document.paths[rowOf(name).path]![rowOf(name).method.toLowerCase()]!;
const all = names.map((name) => [name, operationOf(name)] as const);

/** The types of JSON Schema by those of zod. */
const kinds: Readonly<Record<string, string>> = { boolean: 'boolean', number: 'integer', array: 'array' };

/** Every value in the document, with the path to it. */
function* walk(value: unknown, at: readonly string[] = []): Generator<readonly [readonly string[], unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) yield* walk(part, [...at, key]);
}

describe('the document and the endpoint table', () => {
  it('have the same operations, in both directions', () => {
    const written = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
    );
    expect(written.sort()).toEqual(names.map((name) => `${name}: ${rowOf(name).method} ${rowOf(name).path}`).sort());
  });

  it.each(all)('agree on path parameters, acting user and body: %s', (name, operation) => {
    const { path, onBehalfOf, body } = rowOf(name);
    const of = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
    expect(of('path').map((parameter) => `{${parameter.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(of('path').every(({ required }) => required)).toBe(true);
    const headers = of('header').map(({ name: header, required }) => [header, required]);
    expect(headers).toEqual(onBehalfOf === 'none' ? [] : [['onBehalfOf', onBehalfOf === 'required']]);
    expect(operation.requestBody === undefined).toBe(body === undefined);
    expect(operation.responses['200']).toBeDefined();
  });

  it('agree on the query of list messages (§4.2), names, types and order', () => {
    const written = operationOf('listMessages').parameters.filter((parameter) => parameter.in === 'query');
    expect(written.map(({ name }) => name)).toEqual(Object.keys(messageParameters));
    for (const { name, schema, explode, style, required } of written) {
      const parameter = messageParameters[name as MessageParameter];
      expect(required).toBe(false);
      expect(schema.type).toBe(kinds[parameter.type] ?? 'string');
      if (parameter.type === 'array') {
        expect([schema.items, style, explode]).toMatchObject([{ type: 'string' }, 'form', repeatedLists.has(name)]);
      }
      if (parameter.type === 'enum') expect(schema.enum).toEqual(parameter.options);
    }
    const { min, max, default: fallback } = pageLimit;
    expect(written.find(({ name }) => name === 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: min,
      maximum: max,
      default: fallback,
    });
  });

  it('have the fields of §2, and require only what identifies a resource', () => {
    const fieldsOf = (name: string) => {
      const schema = document.components.schemas[name] as { properties: object; required?: readonly string[] };
      return [Object.keys(schema.properties), schema.required];
    };
    expect(fieldsOf('User')[0]).toEqual(expect.arrayContaining(['uid', 'name', 'avatar', 'conversationId']));
    expect(
      ['User', 'Group', 'Conversation', 'Message', 'Rule', 'KeywordList'].map((name) => fieldsOf(name)[1]),
    ).toEqual([['uid'], ['guid'], ['conversationId'], ['id'], ['id', 'conditions'], ['id', 'searchTerms']]);
    // As it is on the wire, before the contract reads a number as a numeric string.
    expect(document.components.schemas.Message).toMatchObject({
      properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    });
    expect(document.components.schemas.Conversation).toMatchObject({
      properties: { lastMessage: { $ref: '#/components/schemas/Message' } },
    });
  });
});

describe('the document is OpenAPI 3.1', () => {
  it('has the fields that it must have, and no others', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(Object.keys(document)).toEqual(['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components']);
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/[^?#]*$/);
    const templates = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(new Set(templates).size).toBe(templates.length);
    for (const [, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) expect(['get', 'put', 'post', 'delete']).toContain(method);
    }
    for (const key of Object.values(document.components).flatMap((part) => Object.keys(part))) {
      expect(key).toMatch(/^[\w.-]+$/);
    }
    expect(document.components.securitySchemes).toEqual({
      apikey: { type: 'apiKey', in: 'header', name: 'apikey', description: expect.any(String) },
    });
    for (const requirement of document.security) {
      for (const name of Object.keys(requirement)) expect(document.components.securitySchemes[name]).toBeDefined();
    }
  });

  it('has operations of the right form, each with an id of its own', () => {
    expect(new Set(all.map(([, { operationId }]) => operationId)).size).toBe(names.length);
    const tags = document.tags.map(({ name }) => name);
    for (const [, operation] of all) {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.tags.every((tag) => tags.includes(tag))).toBe(true);
      const places = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(places).size).toBe(places.length);
      for (const parameter of operation.parameters) {
        const allowed = ['name', 'in', 'required', 'description', 'schema', 'style', 'explode'];
        expect(allowed).toEqual(expect.arrayContaining(Object.keys(parameter)));
        expect(parameter.description).toMatch(/\.$/);
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^([1-5]\d\d|default)$/);
        const whole = '$ref' in response ? resolve(document, response.$ref) : response;
        expect(whole).toMatchObject({
          description: expect.any(String),
          content: { 'application/json': { schema: expect.any(Object) } },
        });
      }
      expect(operation.responses.default).toBeDefined();
    }
  });

  it('has references that lead somewhere, components that are used, and schemas without a keyword nobody knows', () => {
    const references = new Set<string>();
    for (const [at, value] of walk(document)) {
      if (at.at(-1) === '$ref') references.add(String(value));
      if (at.at(-1) === 'schema' || at.at(-2) === 'schemas') {
        for (const example of [{}, [], '', 0, null, true]) faultsOf(value, example, document);
      }
    }
    for (const reference of references) expect(resolve(document, reference)).toBeDefined();
    const components = (['schemas', 'responses'] as const).flatMap((part) =>
      Object.keys(document.components[part]).map((name) => `#/components/${part}/${name}`),
    );
    expect([...references].sort()).toEqual(components.sort());
  });

  it('is plain JSON: no value of it is lost on the way', () => {
    expect(JSON.parse(JSON.stringify(openApiDocument()))).toEqual(openApiDocument());
    expect([...walk(document)].filter(([at]) => at.at(-1) === '$schema' || at.at(-1) === '~standard')).toEqual([]);
  });
});

describe('the service', () => {
  let sample: Awaited<ReturnType<typeof serveSample>>;
  let bundled: Service;
  beforeAll(async () => {
    sample = await serveSample();
    bundled = await startService();
  });
  afterAll(() => Promise.all([sample.close(), bundled.close()]));

  it('serves it beside `/v3`, without a key and without a word of what it serves', async () => {
    const response = await fetch(new URL('/openapi.json', sample.url));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const text = await response.text();
    expect(JSON.parse(text)).toEqual(document);
    expect(text).not.toContain(sample.apiKey);
    const [{ url } = { url: '' }] = document.servers;
    expect(new URL(url, response.url).href).toBe(sample.url);
    expect((await fetch(`${sample.url}/openapi.json`, { headers: { apikey: sample.apiKey } })).status).toBe(404);
    for (const [method, status] of [
      ['POST', 405],
      ['HEAD', 200],
      ['OPTIONS', 204],
    ] as const) {
      expect((await fetch(new URL('/openapi.json', sample.url), { method })).status, method).toBe(status);
    }
    const html = await fetch(new URL('/openapi.json', sample.url), { headers: { accept: 'text/html' } });
    expect(html.status).toBe(406);
  });

  const schemaOf = (name: Operation, status: string) => {
    const response = operationOf(name).responses[status] ?? operationOf(name).responses.default!;
    const whole = ('$ref' in response ? resolve(document, response.$ref) : response) as {
      content: { 'application/json': { schema: unknown } };
    };
    return whole.content['application/json'].schema;
  };
  const cases: readonly (readonly [Operation, string, string | undefined, object | undefined, number])[] = [
    ['updateConversation', '/users/bob/conversation', 'alice', { tags: ['a'] }, 200],
    ['updateConversation', '/users/bob/conversation', undefined, {}, 400],
    ['updateConversation', '/users/zoë/conversation', 'alice', {}, 404],
    ['listMessages', '/messages?limit=1000', undefined, undefined, 200],
    ['listMessages', '/messages?limit=20&count=true&withTags=true&mentionsWithTagInfo=true', 'alice', undefined, 200],
    ['listMessages', '/messages?limit=0&affix=x', undefined, undefined, 400],
    ['getGroup', '/groups/team', 'alice', undefined, 200],
    ['getGroup', '/groups/nowhere', undefined, undefined, 404],
    ['getUser', '/users/carol', undefined, undefined, 200],
    ['getUser', '/users/nobody', undefined, undefined, 404],
    ['markAsRead', '/groups/team/conversation/read', 'alice', { messageId: 500 }, 200],
    ['markAsRead', '/groups/team/conversation/read', 'dave', {}, 403],
    ['markAsUnread', '/groups/team/conversation/read', undefined, {}, 200],
    ['getRule', '/moderation/rules/l1', undefined, undefined, 200],
    ['getRule', '/moderation/rules/r1', undefined, undefined, 200],
    ['getRule', '/moderation/rules/none', undefined, undefined, 404],
    ['getKeywordList', '/moderation/keywords/l1', undefined, undefined, 200],
  ];

  it.each(cases)('answers as it says: %s %s', async (name, path, onBehalfOf, body, status) => {
    const { method } = rowOf(name);
    if (body !== undefined) {
      const { schema } = operationOf(name).requestBody!.content['application/json'];
      expect(faultsOf(schema, body, document)).toEqual([]);
    }
    const answer = await sample.call(encodeURI(path), { method, onBehalfOf, body });
    expect(answer.status).toBe(status);
    expect(faultsOf(schemaOf(name, String(status)), answer.body, document)).toEqual([]);
  });

  it('answers as it says over the bundled fixtures as well, every page of rules, lists, messages', async () => {
    const call = callerOf(bundled);
    const rules = (await call('/moderation/rules')).body as { data: readonly { id: string }[] };
    expect(faultsOf(schemaOf('listRules', '200'), rules, document)).toEqual([]);
    expect(rules.data.length).toBeGreaterThan(5);
    for (const { id } of rules.data) {
      const { body } = await call(`/moderation/rules/${encodeURIComponent(id)}`);
      expect(faultsOf(schemaOf('getRule', '200'), body, document)).toEqual([]);
    }
    for (const affix of ['append', 'prepend']) {
      const { body } = await call(`/messages?limit=1000&affix=${affix}&withTags=true`);
      expect(faultsOf(schemaOf('listMessages', '200'), body, document)).toEqual([]);
    }
  });

  it('refuses as it says, whatever the status', async () => {
    for (const [headers, status] of [
      [{ apikey: 'wrong' }, 401],
      [{ accept: 'text/html' }, 406],
    ] as const) {
      const response = await fetch(`${sample.url}/messages`, { headers: { apikey: sample.apiKey, ...headers } });
      expect(response.status).toBe(status);
      expect(faultsOf(schemaOf('listMessages', String(status)), await response.json(), document)).toEqual([]);
    }
  });

  it('would be caught if it did not', () => {
    const good = { data: { uid: 'a', name: 'A' } };
    const schema = schemaOf('getUser', '200');
    expect(faultsOf(schema, good, document)).toEqual([]);
    for (const bad of [
      { data: { uid: '' } },
      { data: { name: 'A' } },
      { data: { uid: 'a', createdAt: '1' } },
      {},
      [],
    ]) {
      expect(faultsOf(schema, bad, document), JSON.stringify(bad)).not.toEqual([]);
    }
  });
});
