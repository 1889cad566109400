import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../platform/http/loopback-server.test-helper.ts';
import { createEmbedder } from './create-embedder.ts';

describe('createEmbedder', () => {
  it('sends each text to a server once, even after restarts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-embed-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const server = await startServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }));
    });
    for (let start = 0; start < 2; start++) {
      const embedder = createEmbedder({ platform: 'x', model: 'm', url: server.origin }, { data: folder });
      expect(embedder.dimension).toBeUndefined();
      expect(await embedder.embed(['a'])).toEqual([Float32Array.of(0.6, 0.8)]);
      expect(embedder).toMatchObject({ id: 'x:m', dimension: 2 });
      await embedder.close();
    }
    expect(server.seen).toHaveLength(1);
  });

  it('knows the local model before it is loaded', async () => {
    const embedder = createEmbedder({ platform: 'local' });
    expect(embedder).toMatchObject({ id: 'local:all-MiniLM-L6-v2', dimension: 384 });
    await embedder.close();
  });

  it('rejects a config immediately', () => {
    expect(() => createEmbedder({ platform: 'acme' })).toThrow('platform is "acme"');
    expect(() => createEmbedder({ platform: 'local', model: 'x' })).toThrow(
      'The local platform has all-MiniLM-L6-v2 only',
    );
  });
});
