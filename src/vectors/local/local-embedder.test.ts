import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../embedder.ts';
import { describeEmbedder } from '../embedder-contract.test-helper.ts';
import type { EmbedEngine } from './embed-threads.ts';
import { createLocalEmbedder } from './local-embedder.ts';

const root = join(import.meta.dirname, '../../..');

async function open(engine?: EmbedEngine): Promise<Embedder> {
  const embedder = createLocalEmbedder({}, engine);
  onTestFinished(() => embedder.close());
  return embedder;
}

describeEmbedder('the local embedder', open);
describeEmbedder('the local embedder in WebAssembly', () => open('wasm'));

/** The vectors of another implementation, by text. */
const reference = (
  JSON.parse(readFileSync(join(root, 'test/fixtures/minilm/reference.json'), 'utf8')) as {
    text: string;
    vector: string;
  }[]
).map(({ text, vector }) => ({
  text,
  vector: new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer),
}));

function cosine(one: Float32Array, other: Float32Array | undefined): number {
  return one.reduce((sum, number, at) => sum + number * (other?.[at] ?? 0), 0);
}

describe('createLocalEmbedder', () => {
  it.each([
    ['wasm', 0.9999],
    ['onnx', 0.999],
  ] as const)('gives the vectors of another implementation of the model (%s)', async (engine, least) => {
    const vectors = await (await open(engine)).embed(reference.map(({ text }) => text));
    for (const [place, { vector, text }] of reference.entries()) {
      expect({ text, isSame: cosine(vector, vectors[place]) > least }).toEqual({ text, isSame: true });
    }
  });

  it('returns a separate vector for each of many texts, in their order, on several threads', async () => {
    const texts = Array.from(
      { length: 60 },
      (_, number) => `${reference[number % reference.length]?.text} (${number})`,
    );
    const embedder = await open();
    const together = await embedder.embed(texts);
    for (const place of [0, 7, 33, 59]) {
      const [alone = new Float32Array()] = await embedder.embed([texts[place] ?? '']);
      expect(cosine(alone, together[place])).toBeGreaterThan(0.999);
    }
  });

  it('does not block the event loop', async () => {
    const embedder = await open();
    await embedder.embed(['warm up']);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await embedder.embed(Array.from({ length: 6 }, (_, n) => `${n} ${'a long text about tools '.repeat(20)}`));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it('embeds a query before documents that came first', async () => {
    const embedder = await open();
    const order: string[] = [];
    const documents = embedder
      .embed(Array.from({ length: 40 }, (_, n) => `${n} ${'words '.repeat(30)}`))
      .then(() => order.push('documents'));
    await embedder.embed(['a question'], { as: 'query' }).then(() => order.push('query'));
    await documents;
    expect(order).toEqual(['query', 'documents']);
  });

  it('rejects waiting texts when it is closed', async () => {
    const embedder = createLocalEmbedder();
    const waiting = embedder.embed(['a', 'b']);
    const closed = embedder.close();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await closed;
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('does not keep a process alive, closed or not', () => {
    const code = `
      const { createLocalEmbedder } = await import('./src/vectors/local/local-embedder.ts');
      const [vector] = await createLocalEmbedder().embed(['hello']);
      console.log(vector.length);`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect({ stdout, status }).toEqual({ stdout: '384\n', status: 0 });
  });

  it('refuses a model it does not have', () => {
    expect(() => createLocalEmbedder({ model: 'bge-m3' })).toThrow(
      'The embedder\'s model is "bge-m3". The local platform has all-MiniLM-L6-v2 only; omit model.',
    );
  });
});
