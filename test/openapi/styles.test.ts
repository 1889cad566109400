import { describe, expect, it } from 'vitest';
import { checkDocument } from './check-document.test-helper.ts';
import { startDocumentServer } from './document-server.test-helper.ts';

const list = { type: 'array', items: { type: 'string' } };
const open = { type: 'object', additionalProperties: { type: 'string' } };
const fixed = { type: 'object', required: ['from'], properties: { from: { type: 'integer' }, to: list } };
const query = (name: string, rest: Record<string, unknown>): unknown => ({ name, in: 'query', ...rest });
const body = (type: string, schema: unknown, rest: Record<string, unknown> = {}): Record<string, unknown> => ({
  requestBody: { required: true, content: { [type]: { schema, ...rest } } },
});
const FORM = 'application/x-www-form-urlencoded';

/** All ways of OpenAPI 3 to write parameters and bodies. */
const MODERN = {
  openapi: '3.2.0',
  info: { title: 'Styles', version: '1' },
  paths: {
    '/query': {
      get: {
        parameters: [
          query('a', { required: true, schema: list }),
          query('b', { required: true, explode: false, schema: list }),
          query('c', { style: 'spaceDelimited', explode: false, schema: list }),
          query('d', { style: 'pipeDelimited', explode: false, schema: list }),
          query('e', { style: 'deepObject', schema: fixed }),
          query('f', { required: true, style: 'deepObject', schema: fixed }),
          query('g', { schema: { ...fixed, additionalProperties: false } }),
          query('h', { content: { 'application/json': { schema: fixed } } }),
          query('i', { content: { 'application/json': { schema: list } } }),
          query('j', { schema: { oneOf: [{ type: 'integer' }, list] } }),
          query('k', { style: 'deepObject', schema: open }),
          { name: 'X-List', in: 'header', schema: list },
          { name: 'sid', in: 'cookie', schema: { type: 'integer' } },
        ],
      },
      query: { operationId: 'ask', ...body('application/json', fixed) },
      additionalOperations: { LINK: { operationId: 'link', ...body('application/json', list) } },
    },
    '/path/{list}/{label}/{matrix}': {
      delete: {
        parameters: [
          { name: 'list', in: 'path', required: true, schema: { ...list, minItems: 1 } },
          { name: 'label', in: 'path', required: true, style: 'label', schema: { type: 'integer' } },
          { name: 'matrix', in: 'path', required: true, style: 'matrix', schema: { type: 'string' } },
        ],
      },
    },
    '/form': {
      post: body(
        FORM,
        { ...fixed, properties: { ...fixed.properties, deep: fixed, joined: list } },
        {
          encoding: { deep: { style: 'deepObject' }, joined: { style: 'pipeDelimited', explode: false } },
        },
      ),
      put: body(FORM, open),
      patch: body('application/merge-patch+json', {
        allOf: [fixed, { properties: { more: { nullable: true, type: 'string' } } }],
      }),
    },
    '/optional': {
      post: { requestBody: { content: { 'application/json': { schema: fixed } } } },
      delete: { requestBody: { content: { 'application/json': { schema: fixed } } } },
    },
    '/files': {
      post: body('multipart/form-data', {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' }, title: { type: 'string' }, about: fixed },
      }),
    },
    '/text': { post: body('text/csv', { type: 'string' }) },
  },
};

/** The same for Swagger 2.0. */
const OLD = {
  swagger: '2.0',
  info: { title: 'Styles', version: '1' },
  consumes: ['application/json', FORM],
  parameters: { limit: { name: 'limit', in: 'query', type: 'integer', maximum: 9 } },
  definitions: {
    Pet: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, kin: { type: 'array', items: { $ref: '#/definitions/Pet' } } },
    },
  },
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, type: 'integer' }, { $ref: '#/parameters/limit' }],
      get: {
        parameters: ['csv', 'ssv', 'tsv', 'pipes', 'multi'].map((collectionFormat) => ({
          name: collectionFormat,
          in: 'query',
          required: true,
          collectionFormat,
          ...list,
        })),
      },
      put: { parameters: [{ name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }] },
      post: { parameters: [{ name: 'name', in: 'formData', required: true, type: 'string' }] },
    },
  },
};

it.each([
  ['OpenAPI 3.2', MODERN, 11],
  ['Swagger 2.0', OLD, 3],
])('requests are what a document of %s allows, in every style', async (file, document, count) => {
  const { tools, refused, unsampled } = await checkDocument(document, { file });
  expect({ refused, unsampled }).toEqual({ refused: [], unsampled: [] });
  expect(tools).toHaveLength(count);
});

describe('the server that judges', () => {
  const ok = { a: 'x', b: 'x', 'f[from]': '1' };
  const sent = (change: Record<string, string | undefined>): string => {
    const all = Object.entries({ ...ok, ...change }).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return `/query?${new URLSearchParams(all).toString()}`;
  };
  it.each([
    ['a good request', sent({}), {}, 204],
    ['a query value that is missing', sent({ a: undefined }), {}, 422],
    ['one that is not described', sent({ z: '1' }), {}, 422],
    ['one of another type', sent({ 'f[from]': 'x' }), {}, 422],
    ['a method that is not there', '/query', { method: 'DELETE' }, 422],
    ['a path that is not there', '/nowhere', {}, 422],
    ['a body that is missing', '/text', { method: 'POST' }, 422],
    ['a body of another type', '/text', { method: 'POST', body: 'a', headers: { 'content-type': 'text/html' } }, 422],
    [
      'a body without what it needs',
      '/form',
      { method: 'PATCH', body: '{}', headers: { 'content-type': 'application/merge-patch+json' } },
      422,
    ],
    ['a form without what it needs', '/form', { method: 'POST', body: 'to=1', headers: { 'content-type': FORM } }, 422],
  ])('gives %s its due', async (_, path, init, status) => {
    const { url } = await startDocumentServer(MODERN);
    expect((await fetch(url + path, init)).status).toBe(status);
  });
});
