import { describe, expect, it } from 'vitest';
import { importOpenApi, type OpenApiImport } from './import-open-api.ts';

const info = { title: 'Pets', version: '1' };

describe('Swagger 2.0', () => {
  const read = (rest: Record<string, unknown>): OpenApiImport =>
    importOpenApi({ swagger: '2.0', info, host: 'pets.example.com', basePath: '/v1', ...rest });

  it('gives servers, parameters, bodies and security as OpenAPI 3 does', () => {
    const { tools, notes } = read({
      schemes: ['http', 'https'],
      securityDefinitions: { login: { type: 'basic' } },
      security: [{ login: [] }],
      parameters: { limit: { name: 'limit', in: 'query', type: 'integer', maximum: 50 } },
      definitions: { Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
      paths: {
        '/pets/{id}': {
          parameters: [{ name: 'id', in: 'path', required: true, type: 'integer' }],
          put: {
            operationId: 'putPet',
            parameters: [
              { $ref: '#/parameters/limit' },
              { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
              { name: 'ids', in: 'query', type: 'array', items: { type: 'integer' } },
              { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
            ],
          },
        },
      },
    });
    expect(notes).toHaveLength(1);
    expect(tools).toMatchObject([
      {
        id: 'put_pet',
        auth: { type: 'basic', username: '${PETS_USERNAME}', password: '${PETS_PASSWORD}' },
        schema: {
          properties: {
            id: { type: 'integer' },
            limit: { type: 'integer', maximum: 50 },
            tags: { type: 'array', items: { type: 'string' } },
            name: { type: 'string' },
          },
          required: ['id', 'name'],
        },
        requests: [
          {
            url: 'https://pets.example.com/v1/pets/{{id}}',
            query: { limit: '{{limit}}', tags: '{{tags}}', ids: '{{ids}}' },
            styles: { tags: 'pipe', ids: 'comma' },
            body: { name: '{{name}}' },
          },
        ],
      },
    ]);
  });

  it('gives forms with their styles', () => {
    const parameters = [
      { name: 'name', in: 'formData', required: true, type: 'string', description: 'Its name.' },
      { name: 'tags', in: 'formData', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
      { name: 'ids', in: 'formData', type: 'array', items: { type: 'integer' }, collectionFormat: 'ssv' },
    ];
    const { tools } = read({ paths: { '/pets': { post: { parameters } } } });
    expect(tools).toMatchObject([
      {
        id: 'create_pet',
        schema: { properties: { name: { type: 'string', description: 'Its name.' } }, required: ['name'] },
        requests: [
          {
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: { name: '{{name}}', tags: '{{tags}}', ids: '{{ids}}' },
            styles: { ids: 'space' },
          },
        ],
      },
    ]);
  });
});

describe('OpenAPI 3.2', () => {
  const servers = [{ url: 'https://pets.example.com' }];
  const read = (rest: Record<string, unknown>): OpenApiImport =>
    importOpenApi({ openapi: '3.2.0', info, servers, ...rest });
  const media = { schema: { type: 'object', properties: { name: { type: 'string' } } } };

  it('has the method query, further methods, and media types by reference', () => {
    const { tools, notes } = read({
      components: { mediaTypes: { Filter: media } },
      paths: {
        '/pets': {
          query: {
            operationId: 'queryPets',
            requestBody: { content: { 'application/json': { $ref: '#/components/mediaTypes/Filter' } } },
          },
          additionalOperations: { LINK: { operationId: 'linkPet' }, BREW: {} },
        },
      },
    });
    expect(tools).toMatchObject([
      { id: 'query_pets', risk: 'read', requests: [{ method: 'QUERY', body: { name: '{{name}}' } }] },
      { id: 'link_pet', risk: 'write', requests: [{ method: 'LINK' }] },
    ]);
    expect(notes).toEqual(['BREW /pets was left out: requests cannot have this method.']);
  });

  it('has parameters for the whole query', () => {
    const whole = (type: string): unknown => ({ name: 'all', in: 'querystring', content: { [type]: media } });
    const { tools, notes } = read({
      paths: {
        '/a': { get: { parameters: [whole('application/x-www-form-urlencoded')] } },
        '/b': { get: { parameters: [whole('application/jsonpath')] } },
      },
    });
    expect(tools[0]?.requests[0]?.query).toEqual({ name: '{{name}}' });
    expect(tools[1]?.requests[0]?.query).toBeUndefined();
    expect(notes).toEqual([
      'The parameter "all" was left out: a query of the type application/jsonpath cannot be sent.',
    ]);
  });

  it('has tags below tags, and references by its own address', () => {
    const { tools } = read({
      $self: 'https://pets.example.com/openapi.json',
      tags: [{ name: 'cats', parent: 'pets' }, { name: 'pets' }],
      components: { parameters: { Id: { name: 'id', in: 'query', schema: { type: 'integer' } } } },
      paths: {
        '/cats': {
          post: {
            tags: ['cats'],
            parameters: [{ $ref: 'https://pets.example.com/openapi.json#/components/parameters/Id' }],
          },
        },
      },
    });
    expect(tools).toMatchObject([
      { category: 'cats', tags: ['cats', 'pets'], schema: { properties: { id: { type: 'integer' } } } },
    ]);
  });
});

describe('examples', () => {
  const examplesOf = (operation: Record<string, unknown>, path = '/pets/{owner}'): unknown => {
    const paths = { [path]: { post: { summary: 'Add a pet', ...operation } } };
    return importOpenApi({ openapi: '3.1.0', info, servers: [{ url: 'https://pets.example.com' }], paths }).tools[0]
      ?.examples;
  };
  const schema = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
  };
  const body = (rest: Record<string, unknown>): Record<string, unknown> => ({
    requestBody: { required: true, content: { 'application/json': { schema, ...rest } } },
  });

  it('of a body become examples, with the parameters', () => {
    const examples = { cat: { summary: 'A cat', value: { name: 'Tom' } }, dog: { value: { name: 'Rex', age: 3 } } };
    expect(examplesOf(body({ examples }))).toEqual([
      { description: 'A cat', input: { owner: 'OWNER', name: 'Tom' } },
      { description: 'Add a pet', input: { owner: 'OWNER', name: 'Rex', age: 3 } },
    ]);
    const parameters = [
      { name: 'owner', in: 'path', required: true, schema: { type: 'string' }, example: 'ada' },
      { name: 'dry', in: 'query', schema: { type: 'boolean' }, examples: { yes: { value: true } } },
    ];
    expect(examplesOf({ ...body({ example: { name: 'Tom' } }), parameters })).toEqual([
      { description: 'Add a pet', input: { owner: 'ada', dry: true, name: 'Tom' } },
    ]);
  });

  it('that the schema does not allow are left out, as are those without anything shown', () => {
    expect(examplesOf(body({ example: { name: 5 } }))).toBeUndefined();
    expect(examplesOf(body({ example: { name: 'Tom', unknown: 1 } }))).toBeUndefined();
    expect(examplesOf(body({}))).toBeUndefined();
    expect(examplesOf(body({ example: { name: 'x'.repeat(3000) } }))).toBeUndefined();
  });
});

describe('a keyword beside a reference, or one that contradicts its type', () => {
  it('is corrected', () => {
    const schemas = { Ids: { type: 'object', properties: { ids: { type: 'array', items: {} } } } };
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Ids', required: ['ids'] } } };
    const parameters = [
      { name: 'all', in: 'query', schema: { type: 'boolean', default: 'true' } },
      { name: 'mode', in: 'query', schema: { type: 'string', enum: ['true', 'auto'], default: true } },
      { name: 'count', in: 'query', schema: { type: 'integer', default: 'many' } },
    ];
    const { tools } = importOpenApi({
      openapi: '3.0.0',
      info,
      components: { schemas },
      paths: { '/a': { delete: { parameters, requestBody: { required: true, content } } } },
    });
    expect(tools[0]?.schema).toEqual({
      type: 'object',
      properties: {
        all: { type: 'boolean', default: true },
        mode: { type: 'string', enum: ['true', 'auto'], default: 'true' },
        count: { type: 'integer' },
        ids: { type: 'array', items: {} },
      },
      required: ['ids'],
      additionalProperties: false,
    });
  });
});
