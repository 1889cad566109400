import { expect, it } from 'vitest';
import { bundleDocument } from './bundle-document.ts';
import { importOpenApi } from './import-open-api.ts';

const info = { title: 'Pets', version: '1' };
const body = (reference: string): unknown => ({
  post: { requestBody: { required: true, content: { 'application/json': { schema: { $ref: reference } } } } },
});

it.each(['https://pets.example.com/api/openapi.json', 'file:///home/ada/api/openapi.json'])(
  'follows references to documents near %s, from one to the next and back',
  async (url) => {
    const files: Record<string, unknown> = {
      'schemas/pet.yaml': {
        type: 'object',
        properties: { name: { $ref: '#/$defs/name' }, owner: { $ref: '../common.json#/Owner' } },
        $defs: { name: { type: 'string', maxLength: 20 } },
      },
      'common.json': { Owner: { type: 'object', properties: { pet: { $ref: './schemas/pet.yaml' } } } },
    };
    const document = { openapi: '3.1.0', info, paths: { '/pets': body('schemas/pet.yaml') } };
    const asked: string[] = [];
    const notes = await bundleDocument({
      document,
      url,
      read: async (target) => {
        const path = target.href.slice(url.length - 'openapi.json'.length);
        asked.push(path);
        return files[path];
      },
    });
    expect(notes).toEqual([]);
    expect(asked).toEqual(['schemas/pet.yaml', 'common.json']);
    expect(importOpenApi(document).tools[0]?.schema).toEqual({
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' }, owner: { $ref: '#/$defs/Owner' } },
      additionalProperties: false,
      $defs: {
        name: { type: 'string', maxLength: 20 },
        Owner: { type: 'object', properties: { pet: { $ref: '#/$defs/pet' } } },
        pet: expect.objectContaining({ type: 'object' }),
      },
    });
  },
);

it.each([
  ['https://pets.example.com/openapi.json', 'https://elsewhere.example.com/a.json'],
  ['https://pets.example.com/openapi.json', 'http://169.254.169.254/latest'],
  ['https://pets.example.com/openapi.json', 'file:///etc/passwd'],
  ['file:///home/ada/openapi.json', 'https://elsewhere.example.com/a.json'],
  ['file:///home/ada/openapi.json', '/etc/passwd'],
  ['file:///home/ada/openapi.json', 'file:///etc/passwd'],
])('of %s does not follow %s', async (url, reference) => {
  const document = { openapi: '3.1.0', info, paths: { '/pets': body(reference) } };
  const read = async (target: URL): Promise<unknown> => expect.fail(`asked for ${target.href}`);
  expect(await bundleDocument({ document, url, read })).toEqual([]);
  expect(importOpenApi(document).notes).toContain(
    `The remote reference "${reference}" was not followed. Bundle the document into one file first.`,
  );
});

it('notes unreadable files, and stops if files refer to ever more files', async () => {
  const missing = { openapi: '3.1.0', info, paths: { '/pets': body('gone.json') } };
  const fail = async (): Promise<unknown> => Promise.reject(new Error('no such file'));
  expect(await bundleDocument({ document: missing, url: 'file:///a/openapi.json', read: fail })).toEqual([
    '/a/gone.json cannot be read: no such file',
  ]);
  const endless = { openapi: '3.1.0', info, paths: { '/pets': body('0.json') } };
  let count = 0;
  const read = async (): Promise<unknown> => ({ $ref: `${++count}.json` });
  expect(await bundleDocument({ document: endless, url: 'file:///a/openapi.json', read })).toEqual([
    'The document consists of more than 500 files; the rest was left out.',
  ]);
  expect(count).toBe(500);
});
