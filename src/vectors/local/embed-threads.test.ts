import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbedThreads } from './embed-threads.ts';

describe('EmbedThreads', () => {
  it('fails when the model cannot be read, and keeps answering', async () => {
    const worker = new EmbedThreads({ weights: '/nowhere/weights', vocabulary: '/nowhere/vocabulary' });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(worker.embed(['a'], {})).rejects.toMatchObject({
        code: 'execution_failed',
        message: expect.stringContaining('/nowhere/vocabulary'),
      });
    }
    await worker.close();
  });

  /** Opens threads that die on their first orders, this many times. */
  async function openDying(times: number): Promise<EmbedThreads> {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-worker-'));
    const [program, deaths] = [join(folder, 'worker.mjs'), join(folder, 'deaths')];
    await writeFile(deaths, '');
    await writeFile(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs';
       import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ texts }) => {
         if (readFileSync(${JSON.stringify(deaths)}).length < ${times}) {
           appendFileSync(${JSON.stringify(deaths)}, 'x');
           process.exit(3);
         }
         parentPort.postMessage({ ok: true, vectors: new Float32Array(texts.length).fill(1), dimension: 1 });
       });`,
    );
    const worker = new EmbedThreads({ weights: '', vocabulary: '' }, { program: pathToFileURL(program) });
    onTestFinished(async () => {
      await worker.close();
      await rm(folder, { recursive: true });
    });
    return worker;
  }

  it('starts another thread when one dies, and continues there', async () => {
    const worker = await openDying(1);
    expect(await worker.embed(['a', 'b'], {})).toEqual([Float32Array.of(1), Float32Array.of(1)]);
  });

  it('fails texts that killed two threads, and continues with the next', async () => {
    const worker = await openDying(2);
    await expect(worker.embed(['a'], {})).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('died twice'),
    });
    expect(await worker.embed(['b'], {})).toHaveLength(1);
  });
});
