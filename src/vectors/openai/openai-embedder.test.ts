import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../embedder.ts';
import type { HttpClock } from '../../platform/http/retry-request.ts';
import {
  type Answer,
  type LoopbackServer,
  type SeenRequest,
  startServer,
} from '../../platform/http/loopback-server.test-helper.ts';
import type { EmbedderConfig } from '../embedder-config.ts';
import { describeEmbedder } from '../embedder-contract.test-helper.ts';
import { createTestEmbedder } from '../test-embedder.ts';
import { createOpenAIEmbedder } from './openai-embedder.ts';

const KEY = 'sk-test-0123456789abcdef';
const model = createTestEmbedder({ dimension: 32 });

interface Body {
  readonly input: string[];
  readonly [field: string]: unknown;
}

const bodyOf = ({ body }: SeenRequest): Body => JSON.parse(body.toString()) as Body;

function send(response: ServerResponse, data: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(data));
}

/** Answers like OpenAI, last text first; vectors are not of unit length. */
const answerWell: Answer = (request, response) => {
  void model.embed(bodyOf(request).input).then((vectors) => {
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector].map((number) => number * 3) }));
    send(response, { data: data.toReversed(), model: 'm' });
  });
};

/** Creates a clock whose time passes only in `sleep`. */
function createClock(): HttpClock & { slept: number[] } {
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => 0,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
}

async function open(
  answer: Answer,
  config: EmbedderConfig = {},
): Promise<{ embedder: Embedder; server: LoopbackServer; clock: ReturnType<typeof createClock> }> {
  const server = await startServer(answer);
  const clock = createClock();
  const embedder = createOpenAIEmbedder(
    { platform: 'openai', model: 'm', url: `${server.origin}/v1/`, api_key: KEY, ...config },
    { clock },
  );
  onTestFinished(() => embedder.close());
  return { embedder, server, clock };
}

describeEmbedder('an OpenAI-compatible embedder', async () => (await open(answerWell)).embedder);

describe('what is sent', () => {
  it('is a batch of texts with the model and the key', async () => {
    const { embedder, server } = await open(answerWell, { dimensions: 32, query_prefix: 'q: ' });
    await embedder.embed(['a', ''], { as: 'query' });
    const [request] = server.seen;
    expect(request).toMatchObject({ method: 'POST', target: '/v1/embeddings' });
    expect(request?.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(request && bodyOf(request)).toEqual({ model: 'm', input: ['q: a', 'q: '], dimensions: 32 });
    expect(embedder.id).toBe('openai:m{"dimensions":32,"query":"q: "}');
  });

  it('sends the type of a text if the platform wants it', async () => {
    const { embedder, server } = await open(answerWell, { platform: 'voyage', dimensions: 32 });
    await embedder.embed([''], { as: 'query' });
    const sent = server.seen[0] && bodyOf(server.seen[0]);
    expect(sent).toEqual({ model: 'm', input: [' '], output_dimension: 32, input_type: 'query' });
  });

  it('is split into batches by count and by characters', async () => {
    const { embedder, server } = await open(answerWell, { batch_size: 10 });
    await embedder.embed(Array.from({ length: 25 }, (_, n) => `text ${n}`));
    expect(server.seen.map((request) => bodyOf(request).input.length).toSorted((a, b) => a - b)).toEqual([5, 10, 10]);
    await embedder.embed(Array.from({ length: 6 }, (_, n) => `${n}${'x'.repeat(30_000)}`));
    const large = server.seen.slice(3).map((request) => bodyOf(request).input);
    expect(large.map((input) => input.length)).toEqual([3, 3]);
    expect(large.flat().every((text) => text.length === 24_000)).toBe(true);
  });

  it('respects the limits of parallel requests and of requests in a minute', async () => {
    let [running, most] = [0, 0];
    const { embedder, clock } = await open(
      (request, response, count) => {
        most = Math.max(most, ++running);
        setImmediate(() => {
          running--;
          answerWell(request, response, count);
        });
      },
      { batch_size: 1, concurrency: 2, requests_per_minute: 60 },
    );
    await embedder.embed(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBeLessThanOrEqual(2);
    expect(clock.now() - 1_000_000).toBeGreaterThanOrEqual(4_000);
  });

  it('is sent in halves if the server rejects its size', async () => {
    const { embedder, server } = await open((request, response, count) => {
      if (bodyOf(request).input.length > 2) send(response, {}, 413);
      else answerWell(request, response, count);
    });
    expect(await embedder.embed(['a', 'b', 'c', 'd', 'e'])).toEqual(await model.embed(['a', 'b', 'c', 'd', 'e']));
    expect(server.seen).toHaveLength(5);
  });
});

describe('a server in trouble', () => {
  it('is asked again after 429, when it says so', async () => {
    const { embedder, server, clock } = await open((request, response, count) => {
      if (count > 1) return answerWell(request, response, count);
      response.writeHead(429, { 'retry-after': '7' }).end();
    });
    expect(await embedder.embed(['a'])).toHaveLength(1);
    expect(server.seen).toHaveLength(2);
    expect(clock.slept).toEqual([7_000]);
  });

  it('is asked again after 500 and broken connections, each time later', async () => {
    const { embedder, clock } = await open((request, response, count) => {
      if (count === 1) send(response, {}, 500);
      else if (count === 2) response.destroy();
      else answerWell(request, response, count);
    });
    expect(await embedder.embed(['a'])).toHaveLength(1);
    expect(clock.slept).toHaveLength(2);
    expect(clock.slept[1]).toBeGreaterThan(clock.slept[0] ?? 0);
  });

  it('is given up after five attempts, with its URL and what to do', async () => {
    const { embedder, server } = await open((_, response) => send(response, { error: { message: 'Too busy.' } }, 503));
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: `The embedder at ${server.origin}/v1/embeddings answered 503 and says: Too busy. Try again later.`,
    });
    expect(server.seen).toHaveLength(5);
  });

  it('that does not answer is named', async () => {
    const clock = createClock();
    const embedder = createOpenAIEmbedder({ model: 'm', url: 'http://127.0.0.1:1/v1' }, { clock });
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: expect.stringMatching(/^The embedder at http:\/\/127\.0\.0\.1:1\/v1\/embeddings does not answer: /),
    });
    // Few attempts: a search or a store waits for it.
    expect(clock.slept).toHaveLength(2);
    await embedder.close();
  });

  it('that asks to wait for hours is given up', async () => {
    const { embedder, clock } = await open((_, response) => {
      response.writeHead(429, { 'retry-after': '36000' }).end();
    });
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(clock.slept).toEqual([]);
  });

  it('does not hold up a caller who stops', async () => {
    const stop = new AbortController();
    const { embedder } = await open(() => stop.abort(new Error('enough')));
    await expect(embedder.embed(['a'], { signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it.each([
    [401, 'permission_denied', 'Check api_key.'],
    [404, 'not_found', 'serves the model "m"'],
    [400, 'execution_failed', 'is a model for embeddings'],
  ])('that answers %i is not asked again, and the key is not shown', async (status, code, fix) => {
    const { embedder, server } = await open((_, response) =>
      send(response, { error: { message: `Wrong key ${KEY}` } }, status),
    );
    const error: unknown = await embedder.embed(['a']).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(fix) });
    expect(String(error)).not.toContain(KEY);
    expect(server.seen).toHaveLength(1);
  });
});

describe('an answer that is not right', () => {
  const unit = [1, 0];
  it.each<[string, unknown]>([
    ['without a list "data"', { vectors: [] }],
    ['with 1 vectors for 2 texts', { data: [{ index: 0, embedding: unit }] }],
    ['with 3 vectors for 2 texts', { data: [0, 1, 2].map((index) => ({ index, embedding: unit })) }],
    ['with two vectors for text 0', { data: [0, 0].map((index) => ({ index, embedding: unit })) }],
    ['with a vector for text 7', { data: [0, 7].map((index) => ({ index, embedding: unit })) }],
    ['with a vector that is not a list of numbers', { data: [0, 1].map((index) => ({ index, embedding: 'AAAA' })) }],
    ['with a vector that has other values than numbers', { data: [{ embedding: unit }, { embedding: [null, 1] }] }],
    ['with a vector that has other values than numbers', { data: [{ embedding: unit }, { embedding: ['NaN', 1] }] }],
    [
      'with a vector that has other values than numbers',
      { data: [{ embedding: unit }, { embedding: [1e300, 1e300] }] },
    ],
    ['with a vector of 3 numbers, not 2', { data: [{ embedding: unit }, { embedding: [1, 0, 0] }] }],
  ])('%s is refused', async (fault, answer) => {
    const { embedder } = await open((_, response) => send(response, answer));
    await expect(embedder.embed(['a', 'b'])).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining(`answered ${fault}`),
    });
  });

  it('is rejected if its dimension changes', async () => {
    const { embedder } = await open((_, response, count) =>
      send(response, { data: [{ index: 0, embedding: Array.from({ length: count }, () => 1) }] }),
    );
    await embedder.embed(['a']);
    await expect(embedder.embed(['b'])).rejects.toMatchObject({ code: 'execution_failed' });
  });

  it('is rejected if it is not JSON, or endless', async () => {
    const { embedder } = await open((_, response) => response.end('<html>'));
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'execution_failed' });
    const endless = await open((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(4_000_000, '[');
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
    });
    await expect(endless.embedder.embed(['a'])).rejects.toMatchObject({ code: 'execution_failed' });
  });
});

describe('a config', () => {
  it.each<[EmbedderConfig, string]>([
    [{ platform: 'acme' }, 'platform is "acme", whose address is not known. Use one of local, openai, voyage, '],
    [
      { platform: 'openai' },
      'api_key is missing. Give it as ${OPENAI_API_KEY} and set OPENAI_API_KEY in the environment.',
    ],
    [{ platform: 'vllm' }, 'model is missing.'],
    [{ url: 'ftp://x', model: 'm' }, 'url is "ftp://x".'],
    [{ url: 'http://x', model: 'm', batch_size: 0 }, 'batch_size must be a whole number of 1 or more; got 0.'],
  ])('%j is refused', (config, message) => {
    expect(() => createOpenAIEmbedder(config)).toThrow(message);
  });

  it('may name any platform that has a url', () => {
    expect(createOpenAIEmbedder({ platform: 'acme', url: 'http://x/v1', model: 'm' }).id).toBe('acme:m');
  });
});
