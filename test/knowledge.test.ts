// Knowledge bases as people and agents use them: config files, tools, reloads, restarts, bad input.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openBoard } from '../src/board/open-board.ts';
import type { Board } from '../src/board/board.ts';
import { createTestEmbedder } from '../src/vectors/test-embedder.ts';
import { toAnthropicTools, toGeminiTools, toOpenAITools } from '../src/index.ts';
import { openKnowledge } from '../src/rag.ts';

const top = mkdtempSync(join(tmpdir(), 'pegboard-knowledge-'));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true, force: true }));

const boards: Board[] = [];
afterEach(() => Promise.all(boards.splice(0).map((board) => board.close())));

const FIXTURE = join(import.meta.dirname, 'fixtures/ctx/knowledge.yaml');

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function open(files: string | readonly string[], data = 'data'): Promise<Board> {
  const board = await openBoard(files, { env: {}, cwd: folder, data: join(top, data) });
  boards.push(board);
  return board;
}

describe('a ctx file', () => {
  // The one line that takes knowledge from a server to this machine, and the one that does without a model.
  const here = (): string =>
    write('here.yaml', 'rag:\n  servers: { default: { driver: sqlite } }\n  vectorizer: { platform: none }\n');

  it('becomes a tool for each operation, with its risk', async () => {
    const board = await open([FIXTURE, here()], 'names');
    expect(board.registry.getAll().map(({ metadata }) => [metadata.name, metadata.risk])).toEqual([
      ['find-rule-search', 'read'],
      ['save-rule-store', 'write'],
      ['decisions-search', 'read'],
      ['decisions-store', 'write'],
    ]);
    expect(board.registry.get('find-rule')?.metadata.name).toBe('find-rule-search');
    expect(board.registry.get('decisions')).toBeUndefined();
    expect(board.registry.get('decisions-search')?.metadata.description).toBe(
      'Search the knowledge base: find the passages that answer a question. What was decided and why',
    );
    expect(board.registry.get('decisions-store')?.metadata.description).toBe(
      'Store a text to remember: add a note or an insight to the knowledge base. What was decided and why',
    );
    // The author of a tool with one operation wrote about that one.
    expect(board.registry.get('find-rule')?.metadata.description).not.toContain('knowledge base:');
    expect(board.diagnostics.filter(({ severity }) => severity === 'warning').map(({ message }) => message)).toEqual([
      `is in ${FIXTURE} too; this one is used.`,
      `is in ${FIXTURE} too; this one is used.`,
    ]);
  });

  it('is searched, stored in, searched again, and still knows after a restart', async () => {
    const files = [FIXTURE, here()];
    const board = await open(files);
    expect((await board.call('find-rule', { query: 'naming of files' })).text).toBe(
      'No results found for "naming of files"',
    );
    const rule = '# Naming\n\nFiles are named in kebab-case after their main export.';
    const stored = await board.call('save-rule', {
      content: rule,
      type: 'convention',
      sourcePath: 'STYLE.md',
      tags: 'files, names',
    });
    expect(stored).toMatchObject({
      ok: true,
      text: 'Stored in knowledge base.\nType: convention | Chunks: 1',
      data: { outcome: 'stored' },
    });
    const again = await board.call('save-rule-store', {
      content: `${rule}\n`,
      type: 'convention',
      sourcePath: 'STYLE.md',
      tags: ['files', 'names'],
    });
    expect(again.data).toMatchObject({ outcome: 'unchanged', chunks: 1 });

    const found = await board.call('find-rule-search', { query: 'naming of files', type: 'convention', tags: 'names' });
    expect(found.text).toMatch(
      /^Found 1 result for "naming of files"\n\n--- Result 1 ---\n\[\d+\.\d\d\] convention \| stored note by code, \d{4}-\d\d-\d\d \| about STYLE\.md \| Naming\n# Naming\n\nFiles are named in kebab-case/,
    );
    expect(found.data).toMatchObject({
      results: [
        {
          type: 'convention',
          sourcePath: 'STYLE.md',
          headings: ['Naming'],
          tags: ['files', 'names'],
          score: expect.any(Number),
          note: { by: 'code', at: expect.any(String) },
          heading: 'Naming',
          // A note has no lines of the file that it is about.
          highlights: [{ text: 'Files are named in kebab-case after their main export.', heading: 'Naming' }],
        },
      ],
    });
    expect((await board.call('decisions-search', { query: 'naming of files' })).data).toMatchObject({ results: [] });
    await board.close();

    const restarted = await open(files);
    expect((await restarted.call('find-rule', { query: 'kebab-case' })).data).toMatchObject({
      results: [{ sourcePath: 'STYLE.md' }],
    });
  });

  it('answers that the server cannot be reached, again and again, while the rest of the board works', async () => {
    let connections = 0;
    const broken = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => void broken.listen(0, '127.0.0.1', resolve));
    const { port } = broken.address() as AddressInfo; // A TCP server has an address and a port.
    const other = write(
      'other.yaml',
      `tools: [{ name: hello, type: cli, description: Hello, command: echo hello, risk: read }]
rag: { vectorizer: { platform: none }, servers: { default: { driver: qdrant, endpoint_url: "http://127.0.0.1:${port}" } } }`,
    );
    const board = await open([FIXTURE, other], 'down');
    for (const [name, input] of [
      ['find-rule', { query: 'x' }],
      ['save-rule', { content: 'x' }],
    ] as const) {
      const result = await board.call(name, input);
      expect(result.error).toMatchObject({ code: 'upstream_unavailable', recoverable: true });
      expect(result.text).toContain('The collection "handbook" cannot be reached (server "default", qdrant)');
      // Three attempts, by the store alone: a call that tried again too would make nine of them.
      expect([result.meta.attempts, connections]).toEqual([1, 3]);
      connections = 0;
    }
    expect((await board.call('hello')).text).toBe('hello\n');
    broken.close();
  });
});

describe('the smallest file', () => {
  const SMALLEST = 'tools:\n  - { name: notes, type: rag, description: What we know, collection: notes }\n';

  it('needs nothing but the tool', async () => {
    const board = await open(write('smallest.yaml', SMALLEST), 'smallest');
    await board.call('notes-store', { content: 'Backups run at four in the morning.' });
    const found = await board.call('notes-search', { query: 'when do backups run' });
    expect(found.data).toMatchObject({ results: [{ text: 'Backups run at four in the morning.' }] });
  });

  it('tells what a call would search or store, and where, without a store', async () => {
    const board = await open(write('dry.yaml', SMALLEST), 'dry');
    const where = {
      type: 'knowledge',
      collection: 'notes',
      server: 'default',
      driver: 'sqlite',
      place: join(top, 'dry/knowledge.db'),
      embedder: undefined,
    };
    expect(await board.dryRun('notes-search', { query: 'x', tags: 'a' })).toEqual({
      tool: 'notes-search',
      steps: [{ ...where, operation: 'search', input: { query: 'x', tags: 'a', limit: 10 } }],
    });
    expect(await board.dryRun('notes-store', { content: 'x' })).toEqual({
      tool: 'notes-store',
      steps: [{ ...where, operation: 'store', input: { content: 'x', type: 'general' } }],
    });
    await expect(board.dryRun('notes-store', { content: ' ' })).rejects.toThrow('content: is empty.');
    expect(existsSync(where.place)).toBe(false);
  });

  it('shows no password of a server', async () => {
    const server = 'driver: postgres, endpoint_url: "postgresql://me:hunter22@db.example.com:5433/team"';
    const board = await open(
      write('secret.yaml', `${SMALLEST}rag: { servers: { default: { ${server} } } }\n`),
      'secret',
    );
    const plan = await board.dryRun('notes-search', { query: 'x' });
    expect(plan.steps).toMatchObject([{ driver: 'postgres', place: 'db.example.com:5433/team' }]);
    expect(JSON.stringify(plan)).not.toMatch(/hunter22|me:/);
  });

  it('keeps its connections over a reload', async () => {
    const text = `${SMALLEST}rag: { servers: { default: { driver: memory } }, collections: { notes: {} } }\n`;
    const file = write('reloaded.yaml', text);
    const board = await open(file);
    await board.call('notes-store', { content: 'Kept in memory alone' });
    write('reloaded.yaml', text.replace('What we know', 'What we all know'));
    expect(await board.reload()).toEqual({ ok: true });
    expect((await board.call('notes-search', { query: 'memory' })).data).toMatchObject({ results: [{}] });
  });

  it('is exported to every provider', async () => {
    const board = await open(write('exported.yaml', SMALLEST), 'exported');
    for (const exported of [
      toOpenAITools(board.registry),
      toAnthropicTools(board.registry),
      toGeminiTools(board.registry),
    ]) {
      expect(JSON.stringify(exported.tools)).toContain('sourcePath');
    }
  });

  it.for([
    ['notes-store', { content: '' }, 'content'],
    ['notes-store', { content: '  \n ' }, 'content: is empty. Send the text to remember.'],
    ['notes-store', { content: 'a\u0000b' }, 'content: contains binary data. Send text.'],
    ['notes-store', { content: '\uFFFDPNG\r\n\u001A\n' }, 'content: contains binary data. Send text.'],
    [
      'notes-store',
      { content: 'x'.repeat(1_000_001) },
      'content: has 1,000,001 characters; the most is 1,000,000. Store it in parts, or index it as a file.',
    ],
    ['notes-store', { content: 'x', type: 'poem' }, 'must be one of "architecture"'],
    ['notes-store', { content: 'x', sourcePath: 'a'.repeat(2000) }, 'sourcePath: is not a path'],
    ['notes-store', { content: 'x', tags: ['t'.repeat(200)] }, 'is longer than 100 characters'],
    ['notes-search', { query: ' ' }, 'The query is empty. Say what to look for.'],
    ['notes-search', { query: 'x'.repeat(20_000) }, 'the most is 4,000'],
    [
      'notes-search',
      { query: 'x', sourcePath: '*a'.repeat(11) },
      'sourcePath: has 11 wildcards; the most is 10. Use "**" for many folders.',
    ],
    ['notes-search', { query: 'x', limit: 51 }, 'limit'],
    ['notes-search', { query: 'x', limit: 0 }, 'limit'],
  ] as const)('refuses bad input to %s and says what to change (%#)', async ([name, input, message]) => {
    const board = await open(write('bad.yaml', SMALLEST), 'bad');
    const result = await board.call(name, input);
    expect(result.error?.code).toBe('invalid_arguments');
    expect(result.text).toContain(message);
  });

  it('refuses fifty megabytes before anything is done with them', async () => {
    const board = await open(write('huge.yaml', SMALLEST), 'huge');
    const result = await board.call('notes-store', { content: 'x'.repeat(50_000_000) });
    expect(result.error?.code).toBe('invalid_arguments');
  });

  it('takes SQL and patterns in filters for the text they are', async () => {
    const board = await open(write('sql.yaml', SMALLEST), 'sql');
    await board.call('notes-store', { content: 'Still here', sourcePath: 'a.md', tags: ["it's"] });
    for (const input of [
      { query: "here'; drop table documents; --" },
      { query: '"here" AND NEAR(*' },
      { query: 'here', sourcePath: "' or 1=1 --" },
      { query: 'here', sourcePath: '%' },
      { query: 'here', tags: ["x' or '1'='1"] },
    ]) {
      expect((await board.call('notes-search', input)).ok).toBe(true);
    }
    expect((await board.call('notes-search', { query: 'here', sourcePath: '%' })).data).toMatchObject({ results: [] });
    expect((await board.call('notes-search', { query: 'here', tags: ["it's"] })).data).toMatchObject({ results: [{}] });
  });

  it('takes a folder for everything below it', async () => {
    const board = await open(write('folders.yaml', SMALLEST), 'folders');
    await board.call('notes-store', { content: 'Tokens live for an hour', sourcePath: 'src/auth/token.ts' });
    await board.call('notes-store', { content: 'Tokens are counted', sourcePath: 'src/authority.ts' });
    const search = async (sourcePath: string): Promise<number> => {
      const { data } = await board.call('notes-search', { query: 'tokens', sourcePath });
      return Object(data).results.length;
    };
    expect(
      await Promise.all(['src/auth', 'src/auth/', 'src/auth/token.ts', 'src', 'src/*.ts', 'sr'].map(search)),
    ).toEqual([1, 1, 1, 2, 1, 0]);
  });
});

describe('a search for tools', () => {
  it.for([
    'Search and store team knowledge',
    'How we work: conventions, architecture, decisions',
    'Project documentation',
    'What was decided and why',
  ])('gives the tool that searches to questions, the one that stores to notes: %s', async (description) => {
    const board = await open(
      write(
        'ranked.yaml',
        `tools:
  - { name: team, type: rag, description: "${description}", collection: x }
  - { name: git-log, type: cli, command: git log, description: Show the commit history }
  - { name: ls, type: cli, command: ls, description: List the files of a folder }
`,
      ),
    );
    const best = (query: string): string | undefined =>
      board.index
        .rank(query)
        .hits.map(({ name }) => name)
        .find((name) => name.startsWith('team'));
    for (const question of [
      'find the convention for file names',
      'look up why we chose postgres',
      'what do the docs say about login',
      'look something up in the knowledge base',
      'knowledge base',
    ]) {
      expect([question, best(question)]).toEqual([question, 'team-search']);
    }
    for (const wish of [
      'save a note for later',
      'remember this decision',
      'store what I learned about the build',
      'add an insight to the knowledge base',
    ]) {
      expect([wish, best(wish)]).toEqual([wish, 'team-store']);
    }
  });
});

describe('a config that cannot be meant', () => {
  it.for([
    [
      'rag: { collections: { notes: {} } }\ntools: [{ name: n, type: rag, description: N, collection: note }]',
      'unknown.yaml:2:59 tools[0].collection: unknown collection "note". Did you mean "notes"? Use one of: notes.',
    ],
    [
      'rag:\n  servers: { main: { driver: sqlite } }\n  collections: { a: { server: mian } }',
      'unknown.yaml:3:31 rag.collections.a.server: unknown server "mian". Did you mean "main"? Use one of: main, default.',
    ],
    [
      'rag:\n  servers: { main: { driver: qdrnt } }',
      'unknown.yaml:2:30 rag.servers.main.driver: unknown driver "qdrnt". Did you mean "qdrant"? Use one of: sqlite, memory, postgres, qdrant.',
    ],
    [
      'rag:\n  collections: { a: { collection: ../etc } }',
      'unknown.yaml:2:35 rag.collections.a.collection: "../etc" cannot be the name of a collection.',
    ],
    [
      'tools: [{ name: n, type: rag, description: N, collection: ../etc }]',
      'unknown.yaml:1:59 tools[0].collection: "../etc" cannot be the name of a collection.',
    ],
    [
      'rag:\n  transformer: { chunk_size: 100, overlap: 100 }\n  collections: { a: {} }',
      'unknown.yaml:2:44 rag.transformer.overlap: 100 is not smaller than chunk_size 100',
    ],
    [
      'rag:\n  servers: { a: { driver: memory, embeddings_distance: Manhattan } }\n  collections: { a: {} }',
      'rag.servers.a.embeddings_distance: unknown distance "Manhattan". Use one of: Cosine, Dot, Euclid.',
    ],
    [
      'rag:\n  vectorizer: { platform: opnai }\n  collections: { a: {} }',
      'unknown.yaml:2:27 rag.vectorizer.platform: The embedder\'s platform is "opnai", whose address is not known. Use one of local, openai,',
    ],
    ['rag: { colections: {} }', 'rag.colections: is not a known key'],
  ] as const)('is told with its place (%#)', async ([text, message]) => {
    write('unknown.yaml', text);
    await expect(openBoard('unknown.yaml', { env: {}, cwd: folder })).rejects.toThrow(message);
  });

  it('names the drivers that ctx files may mean', async () => {
    write(
      'ctx-unknown.yaml',
      'rag:\n  servers: { a: { driver: chroma } }\n  collections: { a: { server: a } }\ntools: [{ id: t, type: rag, description: T, collection: a }]',
    );
    await expect(openBoard('ctx-unknown.yaml', { env: {}, cwd: folder })).rejects.toThrow(
      'ctx-unknown.yaml:2:27 rag.servers.a.driver: unknown driver "chroma". Use one of: sqlite, memory, postgres, qdrant.',
    );
  });

  it.for([
    ['collections: { a: { embeddings_dimension: 1536 } }', 'platform: local', 'collections.a', 1536, 'local', 384],
    [
      'servers: { default: { driver: memory, embeddings_dimension: 384 } }',
      'platform: openai, api_key: x',
      'servers.default',
      384,
      'openai',
      1536,
    ],
    [
      'collections: { a: { embeddings_dimension: 8 } }',
      'platform: vllm, model: m, dimensions: 4',
      'collections.a',
      8,
      'm',
      4,
    ],
  ] as const)(
    'tells a wrong dimension before anything is stored (%#)',
    async ([where, model, at, wrong, name, right]) => {
      write(
        'dimension.yaml',
        `rag:\n  ${where}\n  vectorizer: { ${model} }\ntools: [{ name: t, type: rag, description: T, collection: a }]`,
      );
      await expect(openBoard('dimension.yaml', { env: {}, cwd: folder })).rejects.toThrow(
        `rag.${at}.embeddings_dimension: is ${wrong}, but the model ${name} gives vectors of ${right} numbers. Set it to ${right}, or ${name === 'local' ? 'use another model' : `set dimensions of the vectorizer to ${wrong}`}.`,
      );
    },
  );

  it('tells a wrong dimension of a model that has to be asked, whatever is called first', async () => {
    const known = createTestEmbedder();
    expect(() => openKnowledge({ collections: { a: { embeddings_dimension: 1536 } }, embedder: known })).toThrow(
      'openKnowledge: collections.a.embeddings_dimension: is 1536, but the model test:256 gives vectors of 256 numbers.',
    );
    const embedder = { ...known, dimension: undefined };
    const data = join(folder, 'asked');
    const first = openKnowledge({ data, collections: { a: {} }, embedder });
    await first.collection('a').store({ content: 'one' });
    await first.close();
    const told =
      'The collection "a" has embeddings_dimension 1536, but test:256 gives vectors of 256 numbers. Set embeddings_dimension to 256, or use another model.';
    const empty = openKnowledge({ collections: { a: { embeddings_dimension: 1536 } }, embedder });
    await expect(empty.collection('a').store({ content: 'x' })).rejects.toThrow(told);
    await empty.close();
    const second = openKnowledge({ data, collections: { a: { embeddings_dimension: 1536 } }, embedder });
    const a = second.collection('a');
    await expect(a.store({ content: 'two' })).rejects.toThrow(told);
    await expect(a.search('one')).rejects.toThrow(
      'was created with test:256 (256 numbers, cosine), and the config asks for test:256 (1536 numbers, cosine). Vectors of different kinds cannot be mixed. Set embeddings_dimension, or the model, back to what gives 256 numbers, or rebuild the collection',
    );
    expect(await a.problem()).toMatchObject({ type: 'other' });
    await second.close();
  });

  it('forgets nothing for a model that is away, or is another one under the same name', async () => {
    const data = join(folder, 'rebuilt');
    const known = createTestEmbedder();
    const first = openKnowledge({ data, collections: { a: {} }, embedder: known });
    await first.collection('a').store({ content: 'one' });
    await first.close();
    const away = { ...known, id: 'new', embed: () => Promise.reject(new Error('nobody is there')) };
    const second = openKnowledge({ data, collections: { a: {} }, embedder: away });
    await expect(second.collection('a').rebuild()).rejects.toThrow('nobody is there');
    expect(await second.collection('a').stats()).toMatchObject({ documents: 1, embedding: { embedder: 'test:256' } });
    await second.close();
    const changed = { ...known, embed: async () => [new Float32Array(8)] };
    const third = openKnowledge({ data, collections: { a: {} }, embedder: changed });
    await expect(third.collection('a').rebuild()).rejects.toThrow(
      'test:256 gives vectors of 8 numbers, but stored ones have 256: its name now belongs to another model. Delete vectors.db',
    );
    await third.close();
  });

  it('tells of a reindex that was interrupted, and forgets what it left with the rest', async () => {
    const knowledge = openKnowledge({ collections: { a: {} } });
    const a = knowledge.collection('a');
    await a.store({ content: 'one' });
    const { store } = await a.open();
    // As a process leaves it that is killed between taking notes aside and putting them back.
    await store.ensureCollection('a.rebuild', undefined);
    await store.upsert('a.rebuild', await store.read('a'));
    await store.dropCollection('a');
    expect(await a.problem()).toMatchObject({
      type: 'unfinished',
      message: expect.stringMatching(/Continue: pegboard rag reindex --collection a$/),
    });
    await (await a.rebuild())?.finish({ runs: [] });
    expect([await a.problem(), (await a.search('one')).hits.length]).toEqual([undefined, 1]);
    await store.ensureCollection('a.rebuild', undefined);
    expect(await a.clear()).toBe(true);
    expect(await store.collections()).toEqual([]);
    await knowledge.close();
  });

  it('names the command that makes a collection anew, with its name in the config', async () => {
    const collections = 'collections: { mine: { collection: theirs } }';
    const tool = 'tools: [{ name: t, type: rag, description: T, collection: mine }]';
    const local = write('anew.yaml', `rag: { vectorizer: { platform: local }, ${collections} }\n${tool}`);
    expect((await (await open(local, 'anew')).call('t-store', { content: 'one' })).ok).toBe(true);
    const none = await open(write('anew.yaml', `rag: { ${collections} }\n${tool}`), 'anew');
    const why =
      'the collection "mine" has vectors of local:all-MiniLM-L6-v2, and the config has no vectorizer for it. Set the vectorizer back, or rebuild the collection without vectors: pegboard rag reindex --collection mine';
    expect((await none.call('t-store', { content: 'two' })).error).toMatchObject({
      code: 'invalid_arguments',
      message: `Nothing was stored: ${why}`,
    });
    // Results found by words are returned, and the missing vector search is reported.
    const found = await none.call('t-search', { query: 'one' });
    expect(found.text.replace(/\d{4}-\d\d-\d\d/, 'DAY')).toBe(
      `Found 1 result for "one"\n\n--- Result 1 ---\n[1.00] general | stored note by code, DAY\none\n\nNote: Only words were searched: ${why}`,
    );
    expect(found.data).toMatchObject({ results: [{ text: 'one' }], notice: `Only words were searched: ${why}` });
    expect(await (await none.knowledge()).collection('mine').problem()).toEqual({
      type: 'unused',
      message: `Only its words are searched, and it accepts no new documents: ${why}`,
    });
  });

  it('tells a model that is down from a store that is down', async () => {
    const away = '{ platform: vllm, model: m, url: "http://127.0.0.1:1/v1" }';
    const text = `rag: { vectorizer: ${away} }\ntools: [{ name: t, type: rag, description: T, collection: a }]`;
    const board = await open(write('away.yaml', text), 'away');
    const { error, meta } = await board.call('t-store', { content: 'x' });
    expect(meta.attempts).toBe(1);
    expect(error).toMatchObject({
      code: 'upstream_unavailable',
      message:
        'The collection "a" gets no vectors from its model: The embedder at http://127.0.0.1:1/v1/embeddings does not answer: POST http://127.0.0.1:1 failed: nothing listens there (ECONNREFUSED). Check that it runs and that url is right.',
    });
  });

  it('asks for a key that the environment does not have', async () => {
    const board = await open(
      [FIXTURE, write('keyless.yaml', 'rag: { servers: { default: { driver: memory } } }')],
      'keyless',
    );
    const result = await board.call('find-rule', { query: 'x' });
    // Nothing in it looks like a key, so that nothing of it is blacked out.
    expect(result.text).toContain(
      'api_key is missing. Give it as ${OPENAI_API_KEY} and set OPENAI_API_KEY in the environment.',
    );
  });

  it('leaves knowledge out where a ctx file turns it off', async () => {
    const off = 'rag: { enabled: false }\ntools: [{ id: t, type: rag, description: T, collection: a }]';
    const board = await open(write('off.yaml', off));
    expect(board.registry.names()).toEqual([]);
    expect(board.diagnostics).toMatchObject([
      { severity: 'note', message: 'is false: tools with type: rag are left out.' },
    ]);
  });

  it('reads the single store of older ctx files, in a file of its own format too', async () => {
    const own =
      'rag:\n  store: { driver: memory }\ntools: [{ name: t, type: rag, description: T, collection: default }]';
    expect((await (await open(write('own-legacy.yaml', own))).call('t-store', { content: 'Old knowledge' })).ok).toBe(
      true,
    );

    const legacy =
      'rag:\n  enabled: true\n  store:\n    driver: memory\n    memory: { collection: old_name }\ntools: [{ id: t, type: rag, description: T, collection: default }]';
    const board = await open(write('legacy.yaml', legacy));
    expect((await board.knowledge()).collection('default').plan).toMatchObject({
      storedAs: 'old_name',
      server: { driver: 'memory' },
    });
    expect((await board.call('t-store', { content: 'Old knowledge' })).ok).toBe(true);
  });
});
