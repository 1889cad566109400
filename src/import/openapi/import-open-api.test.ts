import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { compileRequest } from '../../platform/http/template/compile-request.ts';
import { openClient, startServer } from '../../platform/http/loopback-server.test-helper.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { HttpToolEntry } from './read-operation.ts';
import { importOpenApi, type ImportOpenApiOptions } from './import-open-api.ts';

const info = { title: 'Peg Shop', version: '1' };
const servers = [{ url: 'https://api.example.com/v1/' }];

interface Source {
  readonly paths: Record<string, unknown>;
  readonly components?: Record<string, unknown>;
  readonly [key: string]: unknown;
}

/** Imports a document and checks that the result can be used: requests compile, schemas are valid. */
function read(source: Source, options?: ImportOpenApiOptions): ReturnType<typeof importOpenApi> {
  const result = importOpenApi({ openapi: '3.0.3', info, servers, ...source }, options);
  for (const { id, schema, requests } of result.tools) {
    expect(id).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
    expect(new Ajv2020({ strict: false, validateFormats: false }).compile(schema)).toBeTypeOf('function');
    for (const request of requests) expect(compileRequest(request, { schema })).toMatchObject({ ok: true });
  }
  return result;
}

function readOne(path: string, operation: Record<string, unknown>, rest: Partial<Source> = {}): HttpToolEntry {
  const method = typeof operation['method'] === 'string' ? operation['method'] : 'post';
  const [tool] = read({ paths: { [path]: { [method]: operation } }, ...rest }).tools;
  if (tool === undefined) throw new Error('nothing was imported');
  return tool;
}

const json = (schema: unknown, required = true): Record<string, unknown> => ({
  required,
  content: { 'application/json': { schema } },
});

describe('importOpenApi', () => {
  it('uses ids, names and summaries of examples as utterances', () => {
    const tool = readOne('/pegs/search', {
      operationId: 'search',
      summary: 'Looks for pegs.',
      parameters: [
        {
          name: 'color',
          in: 'query',
          schema: { type: 'string' },
          examples: {
            default: { value: 'red' },
            cheapOnes: { value: 'pink' },
            x: { summary: 'Red pegs\nunder 5 €', value: 'r' },
          },
        },
      ],
      responses: {
        200: {
          content: {
            'application/json': { examples: { none: { summary: 'Nothing in stock' }, far: { $ref: '#/nowhere' } } },
          },
        },
        404: { $ref: '#/nowhere' },
      },
    });
    expect(tool.utterances).toEqual(['cheap ones', 'Red pegs under 5 €', 'Nothing in stock', 'far']);
    const renamed = read({
      paths: {
        '/a/things': { get: { operationId: 'fetchGadgets', summary: 'A.' } },
        '/b/things': { get: { operationId: 'fetchGadgets', summary: 'B.' } },
      },
    });
    expect(renamed.tools.map(({ id, utterances }) => [id, utterances])).toEqual([
      ['list_a_things', ['fetch gadgets']],
      ['list_b_things', ['fetch gadgets']],
    ]);
    // The words of the tool's name and its description are already known.
    expect(readOne('/pegs', { operationId: 'makePeg', summary: 'Makes.' })).not.toHaveProperty('utterances');
  });

  it('makes a tool of an operation', () => {
    const { tools, notes } = read({
      paths: {
        '/pegs/{pegId}': {
          parameters: [
            { name: 'pegId', in: 'path', required: true, schema: { type: 'integer' }, description: 'Which peg.' },
          ],
          get: {
            operationId: 'getPeg',
            summary: 'Gets a peg.',
            tags: ['pegs'],
            parameters: [
              { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
              { name: 'X-Request-ID', in: 'header', schema: { type: 'string' } },
              { name: 'Accept', in: 'header', schema: { type: 'string' } },
              { name: 'Host', in: 'header', schema: { type: 'string' } },
              { name: 'not a name', in: 'header', schema: { type: 'string' } },
              { name: 'lang', in: 'cookie', schema: { type: 'string' } },
              { name: 'tz', in: 'cookie', schema: { type: 'string' } },
            ],
          },
        },
      },
    });
    expect(notes).toEqual([]);
    expect(tools).toEqual([
      {
        id: 'get_peg',
        description: 'Gets a peg.',
        type: 'http',
        category: 'pegs',
        schema: {
          type: 'object',
          properties: {
            pegId: { type: 'integer', description: 'Which peg.' },
            fields: { type: 'array', items: { type: 'string' } },
            'X-Request-ID': { type: 'string' },
            lang: { type: 'string' },
            tz: { type: 'string' },
          },
          required: ['pegId'],
          additionalProperties: false,
        },
        requests: [
          {
            method: 'GET',
            url: 'https://api.example.com/v1/pegs/{{pegId}}',
            headers: { 'X-Request-ID': '{{X-Request-ID}}', Cookie: 'lang={{lang}}; tz={{tz}}' },
            query: { fields: '{{fields}}' },
          },
        ],
        tags: ['pegs', 'guessed-read'],
        risk: 'read',
        paths: [],
      },
    ]);
  });

  it('creates requests that arrive as the API describes them', async () => {
    const { origin, seen } = await startServer((_, response) => response.end('{}'));
    const { tools } = read(
      {
        paths: {
          '/shops/{shop}/pegs{ext}': {
            post: {
              operationId: 'addPeg',
              parameters: [
                { name: 'shop', in: 'path', required: true, schema: { type: 'string' } },
                { name: 'ext', in: 'path', required: true, style: 'label', schema: { type: 'string' } },
                { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
                {
                  name: 'filter',
                  in: 'query',
                  style: 'deepObject',
                  schema: { type: 'object', properties: { size: { type: 'integer' } } },
                },
              ],
              requestBody: json({
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string' }, size: { type: 'integer' }, 'a b': {} },
              }),
            },
          },
        },
      },
      { baseUrl: origin },
    );
    const [tool] = tools;
    const [definition] = tool?.requests ?? [];
    const compilation = definition === undefined ? undefined : compileRequest(definition, { schema: tool?.schema });
    if (compilation?.ok !== true) throw new Error('does not compile');
    const args = { shop: 'a/b', ext: 'json', tag: ['x', 'y'], filter_size: 3, name: 'peg', size: 5, a_b: [1] };
    await sendRequest(compilation.request.render(args), { client: openClient() });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      target: '/shops/a%2Fb/pegs.json?tag=x&tag=y&filter%5Bsize%5D=3',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(String(seen[0]?.body))).toEqual({ name: 'peg', size: 5, 'a b': [1] });
  });

  it('gives every argument a unique name', () => {
    const { schema, requests } = readOne('/a/{id}', {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'id', in: 'query', schema: { type: 'integer' } },
        { name: 'id', in: 'header', schema: {} },
        { name: 'page[size]', in: 'query', schema: {} },
        { name: '$top', in: 'query', schema: {} },
      ],
    });
    expect(Object.keys(schema['properties'] ?? {})).toEqual(['id', 'id_query', 'id_header', 'page_size', 'top']);
    expect(requests[0]).toMatchObject({
      url: 'https://api.example.com/v1/a/{{id}}',
      query: { id: '{{id_query}}', 'page[size]': '{{page_size}}', $top: '{{top}}' },
      headers: { id: '{{id_header}}' },
    });
  });

  it('skips a request that no template can express, which would prevent loading the others', () => {
    const parameters = [{ name: 'a{{b}}', in: 'query' }];
    const paths = { '/a/{{b}}': { get: {} }, '/b': { get: { parameters } }, '/c/{d}': { get: {} } };
    const { tools, notes } = importOpenApi({ openapi: '3.1.0', info: { title: 'X' }, paths });
    expect(tools.map(({ requests }) => requests[0]?.url)).toEqual(['${BASE_URL}/c/{{d}}']);
    expect(notes).toContain('GET /b was left out: query.a{{b}} must not have a placeholder in its name.');
  });

  it('creates an argument for an undescribed path variable', () => {
    const { schema } = readOne('/a/{x}/{x}', {});
    expect(schema).toMatchObject({ properties: { x: { type: 'string' } }, required: ['x'] });
  });

  it('sets the notation of lists and objects in the query, in all styles of OpenAPI', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const open = { type: 'object', additionalProperties: { type: 'string' } };
    const inQuery = (name: string, rest: Record<string, unknown>): unknown => ({ name, in: 'query', ...rest });
    const { schema, requests } = readOne('/a', {
      parameters: [
        inQuery('a', { explode: false, description: 'Some.', schema: list }),
        inQuery('b', { style: 'pipeDelimited', explode: false, schema: list }),
        inQuery('c', { style: 'spaceDelimited', explode: false, schema: list }),
        inQuery('d', { style: 'deepObject', schema: open }),
        inQuery('e', { schema: open }),
        inQuery('f', { content: { 'application/json': { schema: list } } }),
        inQuery('g', { schema: list }),
        inQuery('h', { explode: false, schema: { type: 'integer' } }),
        inQuery('i', {
          style: 'deepObject',
          schema: { type: 'object', properties: { in: list, is: { type: 'string' } } },
        }),
        inQuery('j', {
          schema: { type: 'object', properties: { from: {}, to: {} }, required: ['from'] },
        }),
      ],
    });
    expect(schema['properties']).toMatchObject({ a: { ...list, description: 'Some.' }, i_in: list, j: {} });
    expect(requests[0]?.query).toMatchObject({ g: '{{g}}', 'i[in]': '{{i_in}}', 'i[is]': '{{i_is}}', j: '{{j}}' });
    expect(requests[0]?.styles).toEqual({
      a: 'comma',
      b: 'pipe',
      c: 'space',
      d: 'deep',
      e: 'spread',
      f: 'json',
      'i[in]': 'deep',
      j: 'spread',
    });
  });
});

describe('a request body', () => {
  it('becomes arguments, or one argument where names clash', () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    expect(readOne('/a', { requestBody: json(schema) })).toMatchObject({
      schema: { properties: { id: { type: 'integer' } }, required: ['id'] },
      requests: [{ body: { id: '{{id}}' } }],
    });
    const clash = readOne('/a/{id}', { requestBody: { ...json(schema), description: 'The new one.' } });
    expect(clash.schema).toMatchObject({
      properties: { id: { type: 'string' }, body: { ...schema, description: 'The new one.' } },
    });
    expect(clash.requests[0]).toMatchObject({ body: '{{body}}', headers: { 'Content-Type': 'application/json' } });
  });

  it.each([
    ['a list', { type: 'array', items: {} }],
    ['a choice', { oneOf: [{ type: 'object' }, { type: 'string' }] }],
    ['an open object', { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } }],
  ])('that is %s stays one argument', (_, schema) => {
    const tool = readOne('/a', { requestBody: json(schema, false) });
    expect(tool.schema).toEqual({ type: 'object', properties: { body: schema }, additionalProperties: false });
  });

  it('may be a form or text', () => {
    const form = {
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { q: {} } } } },
    };
    expect(readOne('/a/{q}', { requestBody: form }).requests[0]).toMatchObject({
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: { q: '{{q_body}}' },
    });
    expect(readOne('/a', { requestBody: { content: { 'text/csv': {} } } }).requests[0]).toMatchObject({
      headers: { 'Content-Type': 'text/csv' },
      body: '{{body}}',
    });
    const vendor = { content: { 'application/vnd.api+json': { schema: { type: 'object', properties: { q: {} } } } } };
    expect(readOne('/a', { requestBody: vendor }).requests[0]?.headers).toEqual({
      'Content-Type': 'application/vnd.api+json',
    });
  });

  it('with files sends them by their paths', () => {
    const upload = {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['file'],
            properties: {
              file: { type: 'string', format: 'binary', description: 'A picture.' },
              title: { type: 'string' },
              about: { type: 'object', properties: { year: { type: 'integer' } } },
              tags: { type: 'array', items: { type: 'string' } },
            },
          },
          encoding: { file: { contentType: 'image/png' } },
        },
      },
    };
    const { tools, notes } = read({ paths: { '/up': { post: { requestBody: upload } } } });
    expect(tools).toMatchObject([
      {
        schema: {
          properties: { file: { type: 'string', description: 'A picture. The path of a file.' } },
          required: ['file'],
        },
        paths: ['file'],
        requests: [
          {
            multipart: {
              file: { path: '{{file}}', type: 'image/png' },
              title: '{{title}}',
              about: { content: '{{about}}', type: 'application/json' },
            },
          },
        ],
      },
    ]);
    expect(notes).toEqual(['The part "tags" of a form was left out: it can be sent several times.']);
  });

  it('that is bytes is noted and left out', () => {
    const bytes = { content: { 'application/octet-stream': {} } };
    const { tools, notes } = read({ paths: { '/up': { post: { requestBody: bytes }, get: {} } } });
    expect(tools.map(({ id }) => id)).toEqual(['get_up']);
    expect(notes).toEqual(['POST /up was left out: it uploads files (application/octet-stream).']);
  });

  it('drops properties that only the server sets', () => {
    const schema = {
      type: 'object',
      required: ['id', 'a'],
      properties: { id: { type: 'integer', readOnly: true }, a: {} },
    };
    expect(readOne('/a', { requestBody: json(schema) }).schema).toMatchObject({
      properties: { a: {} },
      required: ['a'],
    });
  });
});

describe('a schema', () => {
  const convert = (
    schema: unknown,
    schemas: Record<string, unknown> = {},
    openapi = '3.0.3',
  ): Record<string, unknown> => {
    const tool = readOne(
      '/a',
      { requestBody: json({ type: 'object', properties: { v: schema } }) },
      { openapi, components: { schemas } },
    );
    const { properties, $defs } = tool.schema;
    return { ...(properties as { v: Record<string, unknown> }).v, ...($defs === undefined ? {} : { $defs }) };
  };

  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { oneOf: [{ type: 'string' }], nullable: true, description: 'd' },
      { anyOf: [{ oneOf: [{ type: 'string' }] }, { type: 'null' }], description: 'd' },
    ],
    [
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    [
      { type: 'number', maximum: 1, exclusiveMaximum: false },
      { type: 'number', maximum: 1 },
    ],
    [
      { type: 'string', example: 'x', xml: {}, 'x-y': 1, externalDocs: {} },
      { type: 'string', examples: ['x'] },
    ],
    [
      { type: 'object', additionalProperties: { type: 'string', nullable: true } },
      { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'integer' }], discriminator: {} },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
  ])('of OpenAPI 3.0, %j, is said in JSON Schema', (schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });

  it('of OpenAPI 3.1 stays as it is', () => {
    const schema = { type: ['string', 'null'], const: 'a', examples: ['a'], not: { const: 'b' }, prefixItems: [{}] };
    expect(convert(schema, {}, '3.1.0')).toEqual(schema);
  });

  it('that is circular keeps its references', () => {
    const Node = {
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/Node' }, other: { $ref: '#/components/schemas/Other' } },
    };
    const Other = { type: 'object', properties: { back: { $ref: '#/components/schemas/Node' } } };
    expect(convert({ $ref: '#/components/schemas/Node' }, { Node, Other })).toEqual({
      $ref: '#/$defs/Node',
      $defs: {
        Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, other: { $ref: '#/$defs/Other' } } },
        Other: { type: 'object', properties: { back: { $ref: '#/$defs/Node' } } },
      },
    });
  });

  it('that refers to itself ends, and is noted', () => {
    const A = { allOf: [{ $ref: '#/components/schemas/B' }, { type: 'object', properties: { a: {} } }] };
    const B = { allOf: [{ $ref: '#/components/schemas/A' }, { type: 'object', properties: { b: {} } }] };
    expect(convert({ $ref: '#/components/schemas/A' }, { A, B })['$defs']).toEqual({
      A: { type: 'object', properties: { b: {}, a: {} } },
    });
    const Self = { $ref: '#/components/schemas/Self' };
    expect(convert(Self, { Self })).toEqual({ $ref: '#/$defs/Self', $defs: { Self: {} } });
    const paths = { '/a': { post: { requestBody: json({ type: 'array', items: Self }) } } };
    expect(read({ paths, components: { schemas: { Self } } }).notes).toEqual([
      'The schema "Self" refers to itself; that part was left out.',
    ]);
  });

  it('of a base that lists its kinds, each of them "all of the base", can be walked through', () => {
    const kind = (name: string): unknown => ({
      allOf: [
        { $ref: '#/components/schemas/Pet' },
        { type: 'object', required: [name], properties: { [name]: { type: 'boolean' } } },
      ],
    });
    const Pet = {
      type: 'object',
      properties: { name: { type: 'string' } },
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
      discriminator: { propertyName: 'kind' },
    };
    const schemas = { Pet, Cat: kind('purrs'), Dog: kind('barks') };
    const { schema } = readOne(
      '/a',
      { requestBody: json({ $ref: '#/components/schemas/Pet' }) },
      { components: { schemas } },
    );
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(
      [{ name: 'a', purrs: true }, { name: 'a', barks: true }, { name: 'a' }, { name: 1, barks: true }].map((body) =>
        validate({ body }),
      ),
    ).toEqual([true, true, false, false]);
  });

  it('with allOf is merged, if nothing contradicts', () => {
    const Base = { type: 'object', required: ['id'], properties: { id: { type: 'number' } }, description: 'base' };
    const part = {
      required: ['name'],
      properties: { name: { type: 'string' }, id: { type: 'integer' } },
      description: 'part',
    };
    expect(convert({ allOf: [{ $ref: '#/components/schemas/Base' }, part], description: 'both' }, { Base })).toEqual({
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      description: 'both',
    });
    expect(convert({ allOf: [{ type: 'string', pattern: 'a' }, { pattern: 'b' }] })).toEqual({
      type: 'string',
      pattern: 'a',
      allOf: [{ pattern: 'b' }],
    });
    const closed = { allOf: [{ properties: { a: {} }, additionalProperties: false }, { properties: { b: {} } }] };
    expect(convert(closed)).toEqual({
      properties: { a: {} },
      additionalProperties: false,
      allOf: [{ properties: { b: {} } }],
    });
  });

  it('with allOf at the top of a body becomes arguments', () => {
    const schemas = { Base: { type: 'object', properties: { id: { type: 'integer' } } } };
    const body = json({ allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { name: {} } }] });
    expect(readOne('/a', { requestBody: body }, { components: { schemas } }).requests[0]?.body).toEqual({
      id: '{{id}}',
      name: '{{name}}',
    });
  });

  it('that many others share is converted once', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const next = { $ref: `#/components/schemas/S${index + 1}` };
        return [
          `S${index}`,
          { type: 'object', properties: { a: next, b: next }, ...(index % 2 === 0 ? { allOf: [next, next] } : {}) },
        ];
      }),
    );
    const { $defs } = convert({ $ref: '#/components/schemas/S0' }, { ...schemas, S60: { type: 'string' } });
    expect(Object.keys($defs ?? {}).length).toBeLessThanOrEqual(61);
  });

  it('that is copied into others stays a reference where copies would grow without end', () => {
    const twice = (at: number): object => ({ $ref: `#/components/schemas/A${at}`, minProperties: 0 });
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`A${at}`, { properties: { a: twice(at + 1), b: twice(at + 1) } }]),
    );
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/A0' } } };
    const paths = { '/x': { post: { requestBody: { content } } } };
    const { tools } = importOpenApi({ openapi: '3.1.0', info: { title: 'X' }, paths, components: { schemas } });
    expect(JSON.stringify(tools).length).toBeLessThan(3_000_000);
  });

  it('of any depth does not overflow the stack', () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 5_000; depth++) deep = { type: 'array', items: deep };
    const { notes } = read({ paths: { '/a': { post: { requestBody: json(deep) } } } });
    expect(notes).toEqual(['A schema is nested deeper than 24 levels; deeper parts accept any value.']);
  });

  it('with hostile names pollutes nothing', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
    const tool = readOne('/a', { requestBody: json(schema) });
    expect(Object.keys(tool.schema['properties'] ?? {})).toEqual(['__proto___value', 'constructor_value']);
    expect(Object.prototype).not.toHaveProperty('type');
  });
});

describe('references', () => {
  it('to parameters, bodies and paths are followed', () => {
    const components = {
      parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
      requestBodies: { New: json({ type: 'object', properties: { a: {} } }) },
      pathItems: {
        Item: {
          put: {
            parameters: [{ $ref: '#/components/parameters/Id' }],
            requestBody: { $ref: '#/components/requestBodies/New' },
          },
        },
      },
    };
    const { tools } = read({ paths: { '/a/{id}': { $ref: '#/components/pathItems/Item' } }, components });
    expect(tools[0]).toMatchObject({ id: 'replace_a', schema: { properties: { id: {}, a: {} } } });
  });

  it('to other documents are noted and left open', () => {
    const paths = {
      '/a': {
        post: {
          requestBody: json({
            type: 'object',
            properties: { v: { $ref: 'https://example.com/x.json#/A' }, w: { $ref: '#/nowhere' } },
          }),
        },
      },
    };
    const { tools, notes } = read({ paths });
    expect(tools[0]?.schema['properties']).toEqual({ v: {}, w: {} });
    expect(notes).toEqual([
      'The remote reference "https://example.com/x.json#/A" was not followed. Bundle the document into one file first.',
      'The reference "#/nowhere" points at nothing.',
    ]);
  });

  it('in a circle end', () => {
    const components = {
      parameters: { A: { $ref: '#/components/parameters/B' }, B: { $ref: '#/components/parameters/A' } },
    };
    const { notes } = read({
      paths: { '/a': { get: { parameters: [{ $ref: '#/components/parameters/A' }] } } },
      components,
    });
    expect(notes).toEqual(['A chain of references never ends; its target was left out.']);
  });
});

describe('names, risks and remarks', () => {
  it('come from the id, or from method and path', () => {
    const { tools } = read({
      paths: {
        '/a': {
          get: { operationId: 'list all!' },
          post: { operationId: 'list all?' },
          delete: {},
          patch: { operationId: '///' },
        },
        '/': { get: {}, head: { deprecated: true, summary: 'Looks.' } },
        [`/${'x'.repeat(200)}`]: { put: {} },
      },
    });
    expect(tools.map(({ id, risk }) => [id.slice(0, 15), risk])).toEqual([
      ['get_a', 'read'],
      ['post_a', 'write'],
      ['delete_a', 'destructive'],
      ['update_a', 'write'],
      ['get_root', 'read'],
      ['head_root', 'read'],
      ['replace_xxxxxxx', 'write'],
    ]);
    expect(tools.find(({ id }) => id === 'head_root')?.description).toBe('Deprecated. Looks.');
  });

  it('put summary and description together', () => {
    expect(readOne('/a', { summary: 'Short.', description: 'Long.' }).description).toBe('Short.\n\nLong.');
    expect(readOne('/a', { summary: 'Short.', description: 'Short. Long.' }).description).toBe('Short. Long.');
    expect(readOne('/a', {}).description).toBe('POST /a.');
  });
});

describe('servers', () => {
  const urlWith = (source: Record<string, unknown>, options?: ImportOpenApiOptions): string | undefined =>
    importOpenApi({ openapi: '3.1.0', info, paths: { '/a': { get: {} } }, ...source }, options).tools[0]?.requests[0]
      ?.url;

  it('fill in their variables', () => {
    const variables = { region: { default: 'eu', enum: ['eu', 'us'] }, version: { default: 'v2' } };
    expect(urlWith({ servers: [{ url: 'https://{region}.example.com/{version}/', variables }] })).toBe(
      'https://eu.example.com/v2/a',
    );
  });

  it('yield to a base URL, which completes relative ones', () => {
    const baseUrl = 'http://localhost:3000/base';
    expect(urlWith({ servers }, { baseUrl })).toBe('http://localhost:3000/base/a');
    expect(urlWith({ servers: [{ url: '/v3' }] }, { baseUrl })).toBe('http://localhost:3000/v3/a');
  });

  it('that are relative become an environment variable, with a note', () => {
    expect(urlWith({ servers: [{ url: '/v3' }] })).toBe('${BASE_URL}/v3/a');
    expect(urlWith({})).toBe('${BASE_URL}/a');
    expect(importOpenApi({ openapi: '3.1.0', info, paths: { '/a': { get: {} } } }).notes).toEqual([
      'The document names no absolute server. Set BASE_URL, or import again with --server URL.',
    ]);
  });

  it('of an operation come before those of the document; several are noted', () => {
    const { tools, notes } = read({
      paths: { '/a': { get: { servers: [{ url: 'https://one.example' }, { url: 'https://two.example' }] } } },
    });
    expect(tools[0]?.requests[0]?.url).toBe('https://one.example/a');
    expect(notes).toEqual([
      'The document names 2 servers; requests go to the first, https://one.example. Another one: --server NUMBER.',
    ]);
  });
});

describe('security', () => {
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'Bearer' },
    basic: { type: 'http', scheme: 'basic' },
    oauth: { type: 'oauth2', flows: { implicit: {} } },
    service: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://login.example.com/token' } } },
    headerKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    queryKey: { type: 'apiKey', in: 'query', name: 'key' },
    cookieKey: { type: 'apiKey', in: 'cookie', name: 'sid' },
    tls: { type: 'mutualTLS' },
  };
  const secured = (security: unknown): ReturnType<typeof importOpenApi> =>
    importOpenApi({
      openapi: '3.1.0',
      info,
      servers,
      components: { securitySchemes },
      paths: { '/a': { get: { security } } },
    });

  it.each([
    ['bearer', { type: 'bearer', token: '${PEG_SHOP_TOKEN}' }, 'PEG_SHOP_TOKEN'],
    ['oauth', { type: 'bearer', token: '${PEG_SHOP_TOKEN}' }, 'PEG_SHOP_TOKEN'],
    [
      'service',
      {
        type: 'oauth',
        grant: 'client_credentials',
        token_url: 'https://login.example.com/token',
        client_id: '${PEG_SHOP_CLIENT_ID}',
        client_secret: '${PEG_SHOP_CLIENT_SECRET}',
      },
      'PEG_SHOP_CLIENT_ID and PEG_SHOP_CLIENT_SECRET',
    ],
    [
      'basic',
      { type: 'basic', username: '${PEG_SHOP_USERNAME}', password: '${PEG_SHOP_PASSWORD}' },
      'PEG_SHOP_USERNAME and PEG_SHOP_PASSWORD',
    ],
    [
      'headerKey',
      { type: 'api_key', in: 'header', name: 'X-Api-Key', value: '${PEG_SHOP_HEADER_KEY}' },
      'PEG_SHOP_HEADER_KEY',
    ],
    ['queryKey', { type: 'api_key', in: 'query', name: 'key', value: '${PEG_SHOP_QUERY_KEY}' }, 'PEG_SHOP_QUERY_KEY'],
    [
      'cookieKey',
      { type: 'api_key', in: 'cookie', name: 'sid', value: '${PEG_SHOP_COOKIE_KEY}' },
      'PEG_SHOP_COOKIE_KEY',
    ],
  ])('%s is sent from the environment, with a note', (name, auth, variables) => {
    const { tools, notes } = secured([{ [name]: [] }]);
    expect(tools[0]).toMatchObject({ auth, requests: [{ method: 'GET', url: 'https://api.example.com/v1/a' }] });
    expect(notes).toEqual([`Set ${variables} for the security scheme "${name}".`]);
  });

  it('of several kinds at once are all sent, and of alternatives the first that can be', () => {
    expect(secured([{ bearer: [], headerKey: [], queryKey: [], cookieKey: [] }]).tools[0]).toMatchObject({
      auth: { type: 'bearer' },
      requests: [
        {
          headers: { 'X-Api-Key': '${PEG_SHOP_HEADER_KEY}', Cookie: 'sid=${PEG_SHOP_COOKIE_KEY}' },
          query: { key: '${PEG_SHOP_QUERY_KEY}' },
        },
      ],
    });
    expect(secured([{ tls: [] }, { headerKey: [] }])).toMatchObject({
      tools: [{ auth: { type: 'api_key' } }],
      notes: [expect.stringContaining('Set')],
    });
  });

  it('in a parameter comes from the environment too, never from a model', () => {
    const at = (name: string, place: string, required: boolean): unknown => ({
      name,
      in: place,
      required,
      schema: { type: 'string' },
    });
    const parameters = [
      at('X-Api-Key', 'header', true),
      at('access_token', 'query', false),
      at('token', 'query', true),
      at('page_token', 'query', false),
    ];
    const tool = readOne('/a', { parameters });
    expect(Object.keys(tool.schema['properties'] ?? {})).toEqual(['token', 'page_token']);
    expect(tool.requests[0]?.headers).toEqual({ 'X-Api-Key': '${PEG_SHOP_X_API_KEY}' });
    const secured = readOne('/a', { parameters, security: [{ bearer: [] }] }, { components: { securitySchemes } });
    expect(secured.requests[0]?.query).toEqual({ page_token: '{{page_token}}', token: '${PEG_SHOP_TOKEN}' });
  });

  it('that is optional is not sent; one that cannot be sent is noted', () => {
    expect(secured([{}, { bearer: [] }])).toMatchObject({ tools: [{ requests: [{ method: 'GET' }] }], notes: [] });
    expect(secured([{ tls: [] }]).notes).toEqual([
      'The security scheme "tls" cannot be sent as a header, a query value or a cookie. Add it by hand.',
    ]);
  });
});

describe('include and exclude', () => {
  const paths = {
    '/pegs': {
      get: { operationId: 'listPegs', tags: ['pegs'] },
      post: { operationId: 'addPeg', tags: ['pegs', 'admin'] },
    },
    '/pegs/{id}': { delete: { operationId: 'dropPeg', tags: ['admin'] } },
    '/boards': { get: { tags: ['boards'] } },
  };
  it.each<[ImportOpenApiOptions, string[]]>([
    [{ include: { tags: ['pegs'] } }, ['list_pegs', 'add_peg']],
    [{ include: { tags: ['pegs'] }, exclude: { tags: ['admin'] } }, ['list_pegs']],
    [{ include: { paths: ['/pegs/*'] } }, ['drop_peg']],
    [{ include: { paths: ['*peg*'] }, exclude: { operations: ['add*'] } }, ['list_pegs', 'drop_peg']],
    [{ exclude: { paths: ['/pegs*'] } }, ['list_boards']],
    [{ include: { operations: ['list_boards', 'dropPeg'] } }, ['drop_peg', 'list_boards']],
    [{ include: { paths: ['/p*s*s'] } }, []],
  ])('%j', (options, expected) => {
    expect(read({ paths }, options).tools.map(({ id }) => id)).toEqual(expected);
  });

  it('note when nothing remains', () => {
    expect(read({ paths }, { include: { tags: ['peg'] } }).notes).toEqual([
      'Nothing in the document is "peg". Did you mean "pegs"?',
      'No operation was imported. Check what was chosen with --only and --exclude.',
    ]);
  });
});

describe('what is not OpenAPI', () => {
  it.each([
    [{ swagger: '1.2' }, 'This is a Swagger "1.2" document. Convert it to Swagger 2.0 or OpenAPI 3 first.'],
    [{}, 'This is not an OpenAPI document: "openapi" is undefined. It must be a version such as "3.1.0".'],
    [{ openapi: 3 }, 'This is not an OpenAPI document: "openapi" is 3. It must be a version such as "3.1.0".'],
    ['text', 'This is not an OpenAPI document: "openapi" is undefined. It must be a version such as "3.1.0".'],
  ])('%j is refused', (document, message) => {
    expect(() => importOpenApi(document)).toThrow(expect.objectContaining({ code: 'invalid_arguments', message }));
  });

  it.each([
    [{ paths: 5 }],
    [
      {
        paths: {
          '/a': null,
          b: {},
          '/c': { get: 5, post: { parameters: [null, 5, {}], requestBody: 7, tags: 'x', security: 'x', servers: {} } },
        },
      },
    ],
    [{ components: 1, security: [{ x: [] }], paths: { '/a': { get: {} } } }],
  ])('in part, %j, does no harm', (source) => {
    expect(importOpenApi({ openapi: '3.0.0', ...source }).tools).toBeInstanceOf(Array);
  });
});
