import { describe, expect, it } from 'vitest';
import { importOpenApi, type OpenApiImport, shareSettings } from './import-open-api.ts';
import { nameOperations } from './name-operations.ts';

const info = { title: 'Pets', version: '1' };
const servers = [{ url: 'https://api.example.com' }];

function read(paths: unknown, more: Readonly<Record<string, unknown>> = {}): OpenApiImport {
  return importOpenApi({ openapi: '3.1.0', info, servers, paths, ...more });
}

function post(schema: unknown): unknown {
  return { post: { requestBody: { content: { 'application/json': { schema } } } } };
}

function count<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

const COUNT = 30_000;

describe('variables of the environment', () => {
  it.each([
    ['https://{a}{b}.example.com', { a: { default: '$' }, b: { default: '{SECRET}' } }],
    ['https://x.example.com/{a}{b}', { a: { default: '$' }, b: { default: '{SECRET}' } }],
    ['https://x.example.com/${a}', { a: { default: '{SECRET}' } }],
    ['//$\n{secret}.example.com', {}],
  ])('are not made of the parts of the server %j', (url, variables) => {
    const paths = { '/a': { get: { servers: [{ url, variables }] } } };
    const { tools } = importOpenApi(
      { openapi: '3.1.0', info, paths },
      { documentUrl: 'https://api.example.com/openapi.json' },
    );
    expect(JSON.stringify(tools)).not.toMatch(/(?<!\$)\$\{/);
  });

  it('have a name where the title and the scheme have no letters for one', () => {
    const securitySchemes = { キー: { type: 'apiKey', in: 'header', name: 'X-Key' } };
    const { tools } = importOpenApi({
      openapi: '3.1.0',
      info: { title: '日本' },
      servers,
      security: [{ キー: [] }],
      components: { securitySchemes },
      paths: { '/a': { get: {} } },
    });
    expect(tools[0]?.auth).toEqual({ type: 'api_key', in: 'header', name: 'X-Key', value: '${API_KEY}' });
  });
});

describe('credentials', () => {
  const components = {
    securitySchemes: {
      main: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  };
  const evil = [{ url: 'https://evil.example.net' }];
  const paths = {
    '/a': { get: {} },
    '/b': { get: { servers: evil } },
    '/c': { get: { servers: evil, security: [{ key: [] }] } },
    '/d': { get: { servers: evil, security: [{ main: [], key: [] }] } },
    '/e': {
      get: {
        servers: evil,
        parameters: [{ name: 'api_key', in: 'query', required: true, schema: { type: 'string' } }],
      },
    },
  };

  it.each([[servers], [[{ url: '/v1' }]]])('stay with the server of the document: %j', (own) => {
    const { tools, origins, notes } = read(paths, { servers: own, security: [{ main: [] }], components });
    const shared = shareSettings(tools, origins);
    expect(shared.http?.base_url ?? '').not.toContain('evil');
    expect(shared.http?.auth).toEqual({ type: 'bearer', token: '${PETS_TOKEN}' });
    const [first, ...others] = shared.tools;
    expect(first).not.toHaveProperty('auth');
    for (const tool of others) {
      expect(tool).toMatchObject({ auth: { type: 'none' } });
      expect(JSON.stringify(tool)).not.toContain('${PETS');
    }
    expect(notes.filter((note) => note.includes('evil'))).toEqual([
      expect.stringMatching(
        /^Some operations go to https:\/\/evil\.example\.net and not to .*: they send no credentials/,
      ),
    ]);
  });

  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection'])('are not sent as the header %s', (name) => {
    const securitySchemes = { key: { type: 'apiKey', in: 'header', name } };
    const { tools, notes } = read({ '/a': { get: { security: [{ key: [] }] } } }, { components: { securitySchemes } });
    expect(tools[0]).not.toHaveProperty('auth');
    expect(notes).toEqual([expect.stringContaining('The security scheme "key" cannot be sent')]);
  });

  it('and framing headers are no arguments', () => {
    const names = ['Host', 'authorization', 'Content-Length', 'TRANSFER-ENCODING', 'Cookie', 'Proxy-Authorization'];
    const parameters = [...names, 'X-Own'].map((name) => ({ name, in: 'header', schema: { type: 'string' } }));
    const { tools } = read({ '/a': { get: { parameters } } });
    expect(tools[0]?.requests[0]?.headers).toEqual({ 'X-Own': '{{X-Own}}' });
  });
});

describe('parts that would prevent loading the whole file are skipped', () => {
  it.each([
    ['https://{{host}}', 'has a placeholder in its scheme, host or port'],
    ['https://user:secret@api.example.com', 'must not contain credentials'],
    ['https://a b/', 'must be an http:// or https:// address with a valid host'],
  ])('such as the server %s', (url, reason) => {
    const { tools, notes } = read({ '/x/{host}': { get: { servers: [{ url }] } }, '/b': { get: {} } });
    expect(tools.map(({ id }) => id)).toEqual(['get_b']);
    expect(notes.join('\n')).toContain(reason);
    expect(notes.join('\n')).not.toContain('user:secret@');
  });

  it('such as values and schemas that are deeper than a board reads', () => {
    let value: unknown = 1;
    let schema: unknown = {};
    for (let level = 0; level < 100; level++) {
      value = [value];
      schema = { type: 'object', properties: { a: schema } };
    }
    const parameters = [{ name: 'a', in: 'query', schema: { default: value } }];
    const { tools, notes } = read({ '/a': { get: { parameters } }, '/b': post(schema) });
    expect(tools.map(({ id }) => id)).toEqual(['post_b']);
    expect(notes).toEqual([
      'GET /a was left out: it has values that are nested deeper than 56 levels.',
      'A schema is nested deeper than 24 levels; deeper parts accept any value.',
    ]);
  });

  it('such as a name that another operation has with its hash', () => {
    const same = ['/a', '/a/'].map((path) => ({ method: 'get', path, operationId: 'same' }));
    const [taken = ''] = nameOperations(same);
    const names = nameOperations([...same, { method: 'get', path: '/b', operationId: taken }]);
    expect(new Set(names).size).toBe(3);
  });
});

describe('a flood', () => {
  it.each(['allOf', 'anyOf'])('of definitions in a chain of %s ends', (keyword) => {
    const link = (index: number): unknown => ({
      [keyword]: [
        { $ref: `#/components/schemas/S${index + 1}` },
        { type: 'object', properties: { [`p${index}`]: {} } },
      ],
    });
    const schemas = Object.fromEntries(count(5000, (index) => [`S${index}`, link(index)]));
    const { tools } = read({ '/a': post({ $ref: '#/components/schemas/S0' }) }, { components: { schemas } });
    expect(tools).toHaveLength(1);
  });

  it('of parameters or properties leaves the operation out', () => {
    const names = count(COUNT, (index) => 'é'.repeat(index % 100) + index.toString(2).replaceAll('0', 'ä'));
    const parameters = names.map((name) => ({ name, in: 'query', schema: {} }));
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    const body = post({ type: 'object', properties, required: names });
    const { tools, notes } = read({ '/a': { get: { parameters } }, '/b': body, '/c': { get: {} } });
    expect(tools.map(({ id }) => id)).toEqual(['get_c']);
    expect(notes).toEqual([
      'GET /a was left out: it has more than 2000 arguments.',
      'POST /b was left out: it has more than 2000 arguments.',
    ]);
  });

  it('of schemas of one name gives each its own', () => {
    const anyOf = count(COUNT, (index) => ({ $ref: `#/components/x${index}/S` }));
    const components = Object.fromEntries(count(COUNT, (index) => [`x${index}`, { S: { maxLength: index } }]));
    const { tools } = read({ '/a': post({ anyOf }) }, { components });
    expect(Object.keys(tools[0]?.schema['$defs'] ?? {})).toHaveLength(COUNT);
  });

  it('of tags above tags is cut', () => {
    const tags = count(COUNT, (index) => ({ name: `t${index}`, parent: `t${index + 1}` }));
    const { tools } = read({ '/a': { get: { tags: ['t0'] } } }, { tags });
    expect(tools[0]?.tags.length).toBeLessThan(100);
  });

  it('of operations is refused before they are read', () => {
    const paths = Object.fromEntries(count(COUNT + 1, (index) => [`/p${index}`, { get: {} }]));
    expect(() => read(paths)).toThrow(
      'The document has 30,001 operations, and a config file holds 30,000 at most. Choose some: pegboard import openapi DOCUMENT --only TAG.',
    );
  });

  it('of long texts is refused before it fills the memory', () => {
    const parameter = { name: 'a', in: 'query', description: 'x'.repeat(1_000_000), schema: {} };
    const parameters = [{ $ref: '#/components/parameters/P' }];
    const paths = Object.fromEntries(count(1000, (index) => [`/p${index}`, { get: { parameters } }]));
    expect(() => read(paths, { components: { parameters: { P: parameter } } })).toThrow(
      'become tools of more than 20,000,000 parts. Choose some with --only.',
    );
  });
});
