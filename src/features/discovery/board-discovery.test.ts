import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineTool } from '../../tool/define/define-tool.ts';
import { forgetLearned, LEARNED_SPACE, type LearnedQuery, readLearned } from '../../discovery/learn/create-learner.ts';
import { startServer } from '../../platform/http/loopback-server.test-helper.ts';
import type { Embedder } from '../../vectors/embedder.ts';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { openBoard } from '../../board/open-board.ts';
import type { Board } from '../../board/board.ts';

const TOOLS = `
tools:
  - { name: list_folder, type: cli, description: List a folder, command: ls, risk: read }
  - { name: fail, type: cli, description: Fails each time, command: ls /nowhere/at/all, risk: read }
`;

async function write(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-discovery-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'pegboard.yaml'), text + TOOLS);
  return folder;
}

async function open(folder: string, env: Readonly<Record<string, string>> = {}): Promise<Board> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), {
    env: { PATH: process.env['PATH'], ...env },
    cwd: folder,
  });
  onTestFinished(() => board.close());
  // The meta-tool as agents have it: a learner reads its result.
  board.registry.register(
    defineTool({
      name: 'search_tools',
      description: 'Finds tools',
      schema: { type: 'object', properties: { query: { type: 'string' } } },
      execute: () => ({ tools: [{ name: 'list_folder' }, { name: 'fail' }] }),
    }),
    { override: true },
  );
  return board;
}

/** Returns the queries that a board has learned, once they are stored. */
async function learned(board: Board): Promise<LearnedQuery[]> {
  await board.ready();
  return readLearned(board.store.space(LEARNED_SPACE));
}

it('finds tools by the current texts of their files', async () => {
  const folder = await write('description: Zebra things');
  const board = await open(folder);
  expect(board.index.rank('zebra').hits).toHaveLength(2);
  await writeFile(join(folder, 'pegboard.yaml'), `description: Giraffe things${TOOLS}`);
  await board.reload();
  expect(board.index.rank('zebra').hits).toEqual([]);
  expect(board.index.rank('giraffe').hits).toHaveLength(2);
});

describe('discovery.learn', () => {
  it('links searches to successful calls of the same session, and keeps that after a restart', async () => {
    const folder = await write('discovery: { learn: true }');
    const board = await open(folder, { MY_TOKEN: 'sesame-open-123' });
    const call = (name: string, args: object, sessionId = 'one'): Promise<unknown> =>
      board.call(name, args, { context: { sessionId } });
    await call('search_tools', { query: 'show my pancakes' });
    await call('fail', {});
    await call('list_folder', {}, 'two');
    expect(await learned(board)).toEqual([]);
    await call('list_folder', {});
    await board.ready();
    expect(board.index.rank('pancakes').hits.map(({ name }) => name)).toEqual(['list_folder']);
    await board.close();

    const again = await open(folder);
    await again.ready();
    expect(again.index.rank('pancakes', { explain: true }).hits[0]).toMatchObject({
      name: 'list_folder',
      matches: [{ word: 'pancakes', fields: ['learned'] }],
    });
  });

  it('follows what other processes learn and forget', async () => {
    const folder = await write('discovery: { learn: true }');
    const [one, other] = [await open(folder), await open(folder)];
    const learnBy = async (board: Board, query: string): Promise<void> => {
      await board.call('search_tools', { query }, { context: { sessionId: 'one' } });
      await board.call('list_folder', {}, { context: { sessionId: 'one' } });
    };
    expect(other.index.rank('pancakes').hits).toEqual([]);
    await learnBy(one, 'show my pancakes');
    await learnBy(other, 'show my waffles');
    for (const board of [one, other]) {
      for (const query of ['pancakes', 'waffles'])
        await expect.poll(() => board.index.rank(query).hits[0]?.name).toBe('list_folder');
    }
    await forgetLearned(one.store.space(LEARNED_SPACE), ['list_folder']);
    await one.store.signal(LEARNED_SPACE);
    await expect.poll(() => other.index.rank('pancakes').hits).toEqual([]);
    expect(other.index.rank('waffles').hits).toEqual([]);
  });

  it("learns from CLImax's search and call too", async () => {
    const folder = await write('discovery: { learn: true, tools: climax }');
    const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
    onTestFinished(() => board.close());
    await board.call('climax_search', { query: 'list a' });
    await board.call('climax_call', { tool_name: 'list_folder' });
    expect(await learned(board)).toMatchObject([{ tool: 'list_folder', query: 'list a' }]);
  });

  it('removes secrets from stored queries', async () => {
    const folder = await write('discovery: { learn: true }\nenv: { MY_TOKEN: "${MY_TOKEN}" }');
    const board = await open(folder, { MY_TOKEN: 'sesame-open-123' });
    await board.call('search_tools', { query: 'folder with sesame-open-123 or password=hunter2 please' });
    await board.call('list_folder', {});
    const [kept] = await learned(board);
    expect(kept?.query).toBe('folder with or password= please');
  });

  it('starts and stops with a reload', async () => {
    const folder = await write('discovery: { learn: false }');
    const board = await open(folder);
    await board.call('search_tools', { query: 'show my pancakes' });
    await board.call('list_folder', {});
    expect(await learned(board)).toEqual([]);
    await writeFile(join(folder, 'pegboard.yaml'), `discovery: { learn: true, tools: true }${TOOLS}`);
    expect(await board.reload()).toEqual({ ok: true });
    await board.call('search_tools', { query: 'list a folder' });
    await board.call('list_folder', {});
    expect(await learned(board)).toMatchObject([{ query: 'list a folder' }]);
    board.index.learn('pancakes', 'list_folder');
    await writeFile(join(folder, 'pegboard.yaml'), `name: plain${TOOLS}`);
    await board.reload();
    expect(board.index.rank('pancakes').hits).toEqual([]);
  });

  it('is off by default', async () => {
    const board = await open(await write('name: plain'));
    await board.call('search_tools', { query: 'show my pancakes' });
    await board.call('list_folder', {});
    expect(await learned(board)).toEqual([]);
  });

  it('does not interfere if nothing can be stored', async () => {
    const elsewhere = join(await write(''), 'pegboard.yaml');
    const board = await open(await write(`discovery: { learn: true }\ndata: ${elsewhere}`));
    await board.call('search_tools', { query: 'show my pancakes' });
    expect(await board.call('list_folder', {})).toMatchObject({ ok: true });
    expect(board.index.rank('folder').hits).toHaveLength(1);
  });
});

/** An embedding API that records its requests. */
async function startEmbedder(
  model: Pick<Embedder, 'embed'> = createTestEmbedder({ dimension: 32 }),
): Promise<{ readonly server: { readonly origin: string }; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = await startServer((request, response) => {
    const { input } = JSON.parse(request.body.toString()) as { input: string[] };
    asked.push(...input);
    void model.embed(input).then((vectors) => {
      const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data }));
    });
  });
  return { server, asked };
}

/** Words of several languages with the same meaning, a list each. */
const SAME = [
  ['list', 'liste', 'zeige', '列出', '一覧'],
  ['folder', 'ordner', 'verzeichnis', '文件夹', 'フォルダ'],
  ['fails', 'scheitert', '失败'],
];

/** A fake model of several languages: it knows a few words of each. */
const multilingual: Pick<Embedder, 'embed'> = {
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(32);
      for (const [place, words] of SAME.entries())
        if (words.some((word) => text.toLowerCase().includes(word))) vector[place] = 1;
      vector[31] = 0.1;
      return vector.map((number) => number / Math.hypot(...vector));
    }),
};

describe('discovery.embedder', () => {
  it('of several languages finds tools in English for queries in others, and requests no translation', async () => {
    const { server } = await startEmbedder(multilingual);
    const text = `discovery: { embedder: { platform: acme, model: many, url: '${server.origin}/v1' } }`;
    const [meant, words] = [await open(await write(text)), await open(await write(''))];
    const description = 'Sends the letter to the person that you name, with what you write for this person';
    for (const { registry } of [meant, words])
      registry.register(
        defineTool({ name: 'send_letter', description, schema: { type: 'object' }, execute: () => '' }),
      );
    for (const query of ['bitte zeige mir den Ordner', '列出文件夹', 'フォルダの一覧']) {
      const { hits, language } = await meant.index.find(query);
      expect([query, hits[0]?.name, language]).toEqual([query, 'list_folder', undefined]);
      const plain = await words.index.find(query);
      expect([query, plain.hits, plain.note]).toEqual([query, [], expect.stringContaining('search again in English')]);
    }
  });

  it('receives tools and queries only once', async () => {
    const { server, asked } = await startEmbedder();
    const folder = await write(`discovery: { embedder: { platform: acme, model: m, url: '${server.origin}/v1' } }`);
    for (let start = 0; start < 2; start++) {
      const board = await open(folder);
      const { hits, note } = await board.index.find('list a folder');
      expect(hits[0]).toMatchObject({ name: 'list_folder', similarity: expect.any(Number) });
      expect(note).toBeUndefined();
      await board.close();
    }
    expect(asked.filter((text) => text.startsWith('list folder'))).toHaveLength(1);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('is added, changed and removed by a reload', async () => {
    const [{ server, asked }, other] = [await startEmbedder(), await startEmbedder()];
    const folder = await write('');
    const board = await open(folder);
    const config = (origin: string, model = 'm'): string =>
      `discovery: { embedder: { model: ${model}, url: '${origin}/v1' } }${TOOLS}`;
    const reloadWith = async (text: string): Promise<number | undefined> => {
      await writeFile(join(folder, 'pegboard.yaml'), text);
      expect(await board.reload()).toEqual({ ok: true });
      return (await board.index.find('list a folder')).hits[0]?.similarity;
    };
    expect((await board.index.find('list a folder')).hits[0]?.similarity).toBeUndefined();
    expect(await reloadWith(config(server.origin))).toBeDefined();
    const before = asked.length;
    expect(await reloadWith(`description: Tools\n${config(server.origin)}`)).toBeDefined();
    expect(asked).toHaveLength(before);
    expect(await reloadWith(config(other.server.origin, 'n'))).toBeDefined();
    expect(other.asked).not.toEqual([]);
    expect(await reloadWith(TOOLS)).toBeUndefined();
  });

  it('that is invalid is a fault of the file, with its place', async () => {
    const folder = await write('discovery:\n  embedder:\n    platform: acme');
    await expect(open(folder)).rejects.toThrow(
      /pegboard\.yaml:3:\d+ discovery\.embedder\.platform: The embedder's platform is "acme", whose address is not known\./,
    );
    await expect(open(await write('discovery: { embedder: { plattform: local } }'))).rejects.toThrow(
      'Did you mean "platform"?',
    );
  });

  it('that is down falls back to words, with a note', async () => {
    const folder = await write("discovery: { embedder: { model: m, url: 'http://127.0.0.1:1/v1' } }");
    const board = await open(folder);
    const { hits, note } = await board.index.find('list a folder', { wait: 30_000 });
    expect(hits[0]?.name).toBe('list_folder');
    expect(note).toMatch(
      /^Ranked by words alone, because the embedder failed: The embedder at http:\/\/127\.0\.0\.1:1/,
    );
  });
});
