// A model that puts results into a better order: each dialect of `/rerank` on a loopback server, and what happens without it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBoard } from '../src/index.ts';
import { type KnowledgeAnswer, openKnowledge, type RerankerSettings } from '../src/rag.ts';

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

let server: Server;
let origin: string;
let asked: Asked[];
let answer: (body: Asked['body'], response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  server = createServer((request: IncomingMessage, response) => {
    void readJson(request).then((value) => {
      // The request is that of the reranker under test.
      const body = value as Asked['body'];
      asked.push({ path: request.url, authorization: request.headers.authorization, body });
      answer(body, response);
    });
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  // A server that listens on a port has such an address.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((settle) => server.close(settle));
});

function send(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The text about bread is the best for this model; best first, as servers give them. */
function rank(texts: unknown): { index: number; score: number }[] {
  // Only lists of texts are sent.
  const scores = (texts as string[]).map((text, index) => ({
    index,
    score: text.includes('bread') ? 0.9 : 0.1 + index / 1000,
  }));
  return scores.toSorted((a, b) => b.score - a.score);
}

async function search(reranker: RerankerSettings | undefined, limit = 2): Promise<KnowledgeAnswer> {
  const knowledge = openKnowledge({ collections: { notes: {} }, ...(reranker && { reranker }) });
  const notes = knowledge.collection('notes');
  for (const content of ['fox fox fox', 'a fox and a hen', 'the fox bakes bread with many other words besides'])
    await notes.store({ content });
  const found = await notes.search('fox', { limit, explain: true });
  await knowledge.close();
  return found;
}

const cohere = (body: Asked['body'], response: ServerResponse): void =>
  send(response, {
    id: '1',
    results: rank(body['documents']).map(({ index, score }) => ({ index, relevance_score: score })),
  });

describe('a reranker', () => {
  it('is off unless the config names one', async () => {
    const { hits } = await search(undefined);
    expect(hits[0]?.text).toBe('fox fox fox');
    const none = await search({ platform: 'none', url: origin });
    expect([none.hits[0]?.text, asked]).toEqual(['fox fox fox', []]);
  });

  it.for([
    ['cohere', { model: 'rerank-v3.5' }, '/v2', cohere],
    [
      'jina',
      { model: 'jina-reranker-v2-base-multilingual' },
      '/v1',
      (body: Asked['body'], response: ServerResponse): void =>
        send(response, {
          model: body['model'],
          usage: { total_tokens: 9 },
          results: rank(body['documents']).map(({ index, score }) => ({ index, relevance_score: score })),
        }),
    ],
    [
      'vllm',
      { model: 'BAAI/bge-reranker-v2-m3' },
      '/v1',
      (body: Asked['body'], response: ServerResponse): void =>
        send(response, {
          id: 'rerank-1',
          // Some of its models give numbers without bounds.
          results: rank(body['documents']).map(({ index, score }) => ({
            index,
            document: { text: 'x' },
            relevance_score: (score - 0.5) * 20,
          })),
        }),
    ],
  ] as const)('speaks with %s', async ([platform, { model }, path, give]) => {
    answer = give;
    const { hits, notice } = await search({ platform, model, api_key: 'secret-key-1', url: `${origin}${path}/` });
    expect(notice).toBeUndefined();
    expect(hits.map(({ text }) => text)).toEqual([expect.stringContaining('bread'), expect.any(String)]);
    expect(hits[0]).toMatchObject({ explanation: { rerank: { before: 3 } } });
    expect(hits.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
    expect(asked).toEqual([
      {
        path: `${path}/rerank`,
        authorization: 'Bearer secret-key-1',
        body: { model, query: 'fox', documents: expect.any(Array), top_n: 3, return_documents: false },
      },
    ]);
  });

  it('speaks with Text Embeddings Inference, in as many requests as it takes', async () => {
    answer = (body, response) => send(response, rank(body['texts']));
    const { hits } = await search({ platform: 'tei', url: origin });
    expect(hits[0]?.text).toContain('bread');
    expect(asked).toEqual([
      {
        path: '/rerank',
        authorization: undefined,
        body: { query: 'fox', texts: expect.any(Array), raw_scores: false, truncate: true },
      },
    ]);
    asked.length = 0;
    const knowledge = openKnowledge({
      collections: { notes: {} },
      reranker: { platform: 'tei', url: origin, candidates: 40 },
    });
    const notes = knowledge.collection('notes');
    for (let n = 0; n < 60; n++)
      await notes.store({ content: `fox ${'word '.repeat(n)} number${n} ${n === 38 ? 'bread' : ''}` });
    const many = await notes.search('fox', { limit: 1 });
    expect(many.hits[0]?.text).toContain('bread');
    // The list of texts is the reranker's own.
    expect(asked.map(({ body }) => (body['texts'] as string[]).length)).toEqual([32, 8]);
    await knowledge.close();
  });

  it.for([
    [
      'is refused',
      (_: unknown, response: ServerResponse) => send(response, { message: 'bad secret-key-1' }, 401),
      'answered 401. Check api_key.',
    ],
    [
      'fails',
      (_: unknown, response: ServerResponse) => send(response, { error: 'out of secret-key-1' }, 500),
      'answered 500 and says: out of [redacted]. Try again later.',
    ],
    [
      'gives too few',
      (_: unknown, response: ServerResponse) => send(response, { results: [{ index: 7, relevance_score: 1 }] }),
      'gave 0 scores for 3 texts. Check url and platform.',
    ],
    ['talks nonsense', (_: unknown, response: ServerResponse) => response.end('<html>'), 'gave 0 scores for 3 texts'],
    ['hangs up', (_: unknown, response: ServerResponse) => response.destroy(), 'did not decide the order'],
    ['never answers', () => {}, 'did not decide the order'],
  ] as const)('leaves the order of the search when it %s, and says so', async ([, give, told]) => {
    answer = give;
    const reranker = { platform: 'cohere', api_key: 'secret-key-1', url: origin, timeout: 0.2 };
    const { hits, notice } = await search(reranker);
    expect(hits.map(({ text }) => text)).toEqual(['fox fox fox', 'a fox and a hen']);
    expect(notice).toContain('The reranker cohere:rerank-v3.5 did not decide the order: ');
    expect(notice).toContain(told);
    expect(notice).not.toContain('secret-key-1');
  });

  it('that has no key leaves the order of the search, too', async () => {
    const { hits, notice } = await search({ platform: 'cohere' });
    expect(hits[0]?.text).toBe('fox fox fox');
    expect(notice).toBe(
      "The reranker cohere did not decide the order: The reranker's api_key is missing. Give it as ${COHERE_API_KEY} and set COHERE_API_KEY in the environment.",
    );
  });

  it('is asked by tools, for a collection that has its own, with its key kept from callers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-rerank-'));
    const file = join(folder, 'pegboard.yaml');
    const reranker = `{ platform: own, model: m, url: "${origin}", api_key: secret-key-1 }`;
    const tool = (name: string): string => `{ name: ${name}, type: rag, description: D, collection: ${name} }`;
    writeFileSync(
      file,
      `rag: { reranker: ${reranker}, collections: { a: {}, b: { reranker: { platform: none } } } }\ntools: [${tool('a')}, ${tool('b')}]\n`,
    );
    answer = cohere;
    const board = await openBoard(file, { data: join(folder, 'data') });
    for (const name of ['a', 'b'])
      for (const content of ['fox fox', 'the fox bakes bread with secret-key-1 and many words'])
        await board.call(`${name}-store`, { content });
    const [a, b] = [await board.call('a-search', { query: 'fox' }), await board.call('b-search', { query: 'fox' })];
    expect(a.text).toMatch(/Result 1 ---\n\[0\.90\] general \| stored note by code, [\d-]+\nthe fox bakes bread/);
    expect(a.text).not.toContain('secret-key-1');
    expect(b.text).toMatch(/Result 1 ---\n\[1\.00\] general \| stored note by code, [\d-]+\nfox fox/);
    expect(asked).toHaveLength(1);
    await board.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.for([
    [
      { platform: 'cohre' },
      'rerank',
      /unknown|is "cohre", whose address is not known\. Use one of cohere, jina, vllm, tei, or add its url\./,
    ],
    [{ platform: 'vllm' }, 'model', /model is missing\. Name a model that vllm serves\./],
    [{ platform: 'cohere', url: 'ftp://x' }, 'url', /url is "ftp:\/\/x"\. Use an http or https URL/],
  ] as const)('that cannot work is a fault of the config: %j', ([reranker, , message]) => {
    expect(() => openKnowledge({ collections: { a: {} }, reranker })).toThrow(message);
  });
});
