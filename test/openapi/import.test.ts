import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it, onTestFinished } from 'vitest';
import { CLI } from '../cli-program.test-helper.ts';

const info = { title: 'Pet Shop', version: '1' };
const byId = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

type Tool = Record<string, unknown> & { readonly name: string };

/** A folder with the command line in it, and a server whose documents ask for a token. */
async function openShop(documents: Record<string, unknown>): Promise<{
  readonly url: string;
  readonly seen: string[];
  readonly run: (...words: string[]) => Promise<{ code: number | null; stdout: string; stderr: string }>;
  readonly read: () => string;
  readonly write: (text: string) => void;
  readonly tools: () => Tool[];
}> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    const found = documents[request.url ?? ''];
    const isLet = request.headers.authorization === 'Bearer shop-token';
    response.writeHead(!isLet ? 401 : found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(isLet && found !== undefined ? JSON.stringify(found) : '{}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-import-'));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const run = async (...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> => {
    const child = spawn(process.execPath, [CLI, ...words], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
        SHOP_MAIN: 'of-another-api',
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((ended) => child.on('close', ended));
    return { code, stdout, stderr };
  };
  const { port } = server.address() as AddressInfo; // A TCP server has an address and a port.
  const file = join(folder, 'shop.yaml');
  const read = (): string => readFileSync(file, 'utf8');
  // The file was written just before.
  const tools = (): Tool[] => (load(read()) as { tools: Tool[] }).tools;
  return { url: `http://127.0.0.1:${port}`, seen, run, read, write: (text) => writeFileSync(file, text), tools };
}

it('takes a document from an address, with what it refers to, and shares what its tools have in common', async () => {
  const { url, seen, run, read, tools } = await openShop({
    '/api/openapi.json': {
      openapi: '3.1.0',
      info,
      servers: [{ url: '/v1' }, { url: 'https://{region}.example.com', variables: { region: { default: 'us' } } }],
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      paths: {
        '/pets': {
          get: { operationId: 'listPets', tags: ['pets'] },
          post: {
            tags: ['pets'],
            requestBody: { required: true, content: { 'application/json': { schema: { $ref: 'pet.json' } } } },
          },
        },
        '/health': { get: { operationId: 'health', security: [], tags: ['ops'] } },
        '/admin': { delete: { operationId: 'wipe', tags: ['admin'] } },
      },
    },
    '/api/pet.json': { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  });
  const refused = await run('import', 'openapi', `${url}/api/openapi.json`, '--out', 'shop.yaml');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('answered 401. Does it need a token?');
  const token = ['--header', 'Authorization: Bearer shop-token'];
  const chosen = ['--only', 'tag:pets', '--only', 'op:health', '--name', 'pets'];
  const done = await run('import', 'openapi', `${url}/api/openapi.json`, '--out', 'shop.yaml', ...token, ...chosen);
  expect(done.code).toBe(0);
  expect(seen.slice(1)).toEqual(['/api/openapi.json', '/api/pet.json']);
  const none = await run('import', 'openapi', `${url}/api/openapi.json`, '--out', 'none.yaml', ...token, '--only', 'x');
  expect(none).toMatchObject({ code: 1, stdout: 'There are no tools to write: none.yaml was not created.\n' });
  expect(await run('validate', 'none.yaml')).toMatchObject({ code: 1 });
  expect(read()).not.toContain('shop-token');
  expect(read()).toContain('risk: read # guessed from "GET"');
  expect(load(read())).toMatchObject({
    name: 'pets',
    http: { base_url: `${url}/v1`, auth: { type: 'api_key', in: 'header', name: 'X-Key', value: '${PET_SHOP_KEY}' } },
    tools: [
      { name: 'list_pets', category: 'pets', requests: [{ url: '/pets' }] },
      { name: 'create_pet', schema: { required: ['name'] }, requests: [{ url: '/pets', body: { name: '{{name}}' } }] },
      { name: 'health', auth: { type: 'none' }, requests: [{ url: '/health' }] },
    ],
  });
  expect(tools()[0]).not.toHaveProperty('auth');
  const elsewhere = ['--server', '2', '--server', 'region=eu', '--replace'];
  await run('import', 'openapi', `${url}/api/openapi.json`, '--out', 'shop.yaml', ...token, ...elsewhere);
  expect(load(read())).toMatchObject({ name: 'pet-shop', http: { base_url: 'https://eu.example.com' } });
  const checked = await run('validate', 'shop.yaml');
  expect(checked.stdout + checked.stderr).toContain('PET_SHOP_KEY is not set, so 3 tools are off');
});

it('follows no document to what never ends, and says which of the variables here it sends where', async () => {
  const aliases = Array.from({ length: 40 }, (_, at) => `  - &a${at + 1} [*a${at}, *a${at}]\n`).join('');
  const content = { 'application/json': { schema: { $ref: '../../../../../../../dev/zero' } } };
  const { run, write } = await openShop({});
  write(`openapi: 3.1.0\nx:\n  - &a0 [1, 2]\n${aliases}paths: {}\n`);
  expect((await run('import', 'openapi', 'shop.yaml')).stderr).toContain('its aliases expand to more than can be read');
  const security = {
    security: [{ MAIN: [] }],
    components: { securitySchemes: { MAIN: { type: 'apiKey', in: 'header', name: 'X' } } },
  };
  const servers = [{ url: 'https://elsewhere.example.com' }];
  const post = { requestBody: { content } };
  // The title and the name of a scheme make a variable that is set for something else.
  write(JSON.stringify({ openapi: '3.1.0', info: { title: 'SHOP' }, servers, ...security, paths: { '/x': { post } } }));
  const { stderr } = await run('import', 'openapi', 'shop.yaml', '--out', 'made.yaml');
  expect(stderr).toContain('/dev/zero cannot be read: it is not a file of up to 60 MB.');
  expect(stderr).toContain(
    'SHOP_MAIN is set in this environment, and calls send its value to https://elsewhere.example.com. Use another variable in the file unless this is intended.',
  );
});

it('keeps what a person changed and takes what the document changed', async () => {
  const query = (name: string, type = 'string'): unknown => ({ name, in: 'query', schema: { type } });
  const paths: Record<string, Record<string, unknown>> = {
    '/pets': { get: { operationId: 'listPets', summary: 'List pets', parameters: [query('page'), query('color')] } },
    '/pets/{id}': {
      get: { operationId: 'getPet', summary: 'Get a pet', parameters: [byId] },
      delete: { operationId: 'deletePet', parameters: [byId] },
    },
    '/owners': { get: { operationId: 'listOwners' } },
    '/old': { get: { operationId: 'listOld' } },
  };
  const documents = { '/a.json': { openapi: '3.1.0', info, servers: [{ url: 'https://one.example.com' }], paths } };
  const { url, run, read, write, tools } = await openShop(documents);
  const again = (...words: string[]): ReturnType<typeof run> =>
    run(
      'import',
      'openapi',
      `${url}/a.json`,
      '--out',
      'shop.yaml',
      '--header',
      'Authorization: Bearer shop-token',
      ...words,
    );
  await again();
  expect(await again()).toMatchObject({ code: 0, stdout: 'Nothing is new: shop.yaml is unchanged.\n' });

  // A person writes a comment, a better text and a risk, takes an argument and a tool away, renames one and adds one.
  const written = read();
  const changed = written
    .replace('tools:\n', 'tools:\n  # The list that agents like best.\n')
    .replace('description: List pets', 'description: All pets of the shop')
    .replace(/^ {8}color:\n {10}type: string\n/m, '')
    .replace(/^ {10}color: .*\n/m, '')
    .replace(/^ {2}- name: delete_pet\n(?: {4}.*\n)*/m, '')
    .replace('- name: get_pet\n', '- name: show_pet\n')
    .replace('risk: read # guessed from "GET"\n', 'risk: write\n')
    .replace(
      /^# Written by the import/m,
      '  - name: mine\n    type: http\n    description: My own\n    requests: [{ url: /mine }]\n$&',
    );
  write(changed);
  expect(await again()).toMatchObject({ code: 0, stdout: 'Nothing is new: shop.yaml is unchanged.\n' });
  const withoutMemory = (text: string): string => text.replaceAll(/^#= .*\n/gm, '');
  expect(withoutMemory(read())).toBe(withoutMemory(changed));

  // An editor with other line ends, and then the API changes too.
  write(read().replaceAll('\n', '\r\n'));
  documents['/a.json'].servers = [{ url: 'https://two.example.com' }];
  paths['/pets'] = {
    get: {
      operationId: 'listPets',
      summary: 'List all pets',
      parameters: [query('page', 'integer'), query('color'), query('size')],
    },
    post: { operationId: 'addPet' },
  };
  paths['/pets/{id}'] = {
    ...paths['/pets/{id}'],
    get: { operationId: 'getPet', summary: 'Get one pet', parameters: [byId] },
  };
  delete paths['/old'];
  const { stdout, stderr } = await again();
  expect(stdout).toBe('Added 1 new tool and 2 changes to shop.yaml. Check them with: pegboard validate shop.yaml\n');
  expect(stderr.split('\n')).toEqual([
    'note Changed by you and in the document; yours stay: list_pets (description).',
    'note No longer in the document, but still in the file: list_old.',
    'note Not written again, because you removed them: delete_pet.',
    '',
  ]);
  expect(read()).toContain('  # The list that agents like best.\n  - name: list_pets\n');
  expect(read()).toMatch(/risk: write\n/);
  expect(load(read())).toMatchObject({ http: { base_url: 'https://two.example.com' } });
  expect(tools().map(({ name }) => name)).toEqual([
    'list_pets',
    'show_pet',
    'list_owners',
    'list_old',
    'mine',
    'add_pet',
  ]);
  expect(tools()[0]).toMatchObject({
    description: 'All pets of the shop',
    risk: 'write',
    schema: { properties: { page: { type: 'integer' }, size: { type: 'string' } } },
    requests: [{ query: { page: '{{page}}', size: '{{size}}' } }],
  });
  expect(tools()[0]).not.toHaveProperty('schema.properties.color');
  expect(tools()[1]).toMatchObject({ name: 'show_pet', description: 'Get one pet' });
  expect(await again()).toMatchObject({ stdout: 'Nothing is new: shop.yaml is unchanged.\n' });

  // A choice of operations touches no others, and --replace begins anew.
  expect(await again('--only', 'op:addPet')).toMatchObject({ stdout: 'Nothing is new: shop.yaml is unchanged.\n' });
  await again('--replace');
  expect(tools().map(({ name }) => name)).toEqual(['list_pets', 'add_pet', 'get_pet', 'delete_pet', 'list_owners']);
});

it('follows no document to files of a person, and shows what it hides', async () => {
  const { run, write, read } = await openShop({});
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-person-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'hosts.yml'), 'oauth_token: { description: hunter2 }\n');
  const document = (extra: Record<string, unknown>): string =>
    JSON.stringify({ openapi: '3.1.0', info, servers: [{ url: 'https://api.example.com' }], ...extra });
  const reference = `../${basename(folder)}/hosts.yml`;
  const content = { 'application/json': { schema: { properties: { a: { $ref: `${reference}#/oauth_token` } } } } };
  write(document({ paths: { '/x': { post: { requestBody: { content } } } } }));
  const near = await run('import', 'openapi', 'shop.yaml');
  expect(near.stdout).not.toContain('hunter2');
  expect(near.stderr).toContain('hosts.yml cannot be read: it is not in or below the document');

  const summary = 'Lists pets \u001b[2J\u202E$\u202C{SHOP_MAIN}\u{e0041} ${SHOP_MAIN}';
  write(document({ paths: { '/x': { get: { summary, deprecated: true } } } }));
  const shown = await run('import', 'openapi', 'shop.yaml');
  expect(shown.stdout).toContain('description: Deprecated. Lists pets $${SHOP_MAIN} $${SHOP_MAIN}\n');
  expect(shown.stderr).toContain(
    '1 text of the document contained escape sequences or characters that hide or reverse text',
  );

  write(`{"openapi":"3.1.0","paths":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`);
  const deep = await run('import', 'openapi', 'shop.yaml');
  expect([deep.code, deep.stderr]).toEqual([1, expect.stringContaining('is nested deeper than 500 levels')]);
  expect(read()).toContain('"openapi"');
});
