import type { Embedder } from '../../vectors/embedder.ts';
import { type ContractCheck, createChecks, expectSame, expectStopped, expectTrue } from './contract.ts';

/** The embedder to test. */
export interface EmbedderSubject {
  /** Opens one; each check opens its own and closes it. */
  readonly open: () => Embedder | Promise<Embedder>;
}

/** Returns the checks that every embedder must pass. */
export function embedderContract({ open }: EmbedderSubject): ContractCheck[] {
  const using = createChecks(open, (embedder) => embedder.close());
  return [
    using('returns a unit vector for each text, in order, all of one dimension', async (embedder) => {
      const texts = ['send an email', 'what is the weather?', 'send an email', 'x'.repeat(5_000)];
      const vectors = await embedder.embed(texts);
      expectSame(vectors.length, texts.length, 'one vector for each text');
      for (const vector of vectors) {
        expectTrue(vector instanceof Float32Array, 'a vector is a Float32Array');
        expectSame(vector.length, embedder.dimension, 'the dimension it says, once it has embedded');
        expectTrue(Math.abs(dot(vector, vector) - 1) < 1e-4, 'the length of a vector is one');
      }
      expectSame(vectors[0], vectors[2], 'the same text, the same vector');
      expectTrue(dot(at(vectors, 0), at(vectors, 1)) < 0.9999, 'another text, another vector');
    }),
    using('returns the same vector for a text in every batch', async (embedder) => {
      const alone = await embedder.embed(['read a file']);
      const among = await embedder.embed(['one', 'two', 'read a file', 'a somewhat longer text']);
      expectSame(among[2], alone[0]);
    }),
    using('puts texts that share words nearer than those that do not', async (embedder) => {
      const vectors = await embedder.embed(['list my open invoices', 'list invoices', 'rotate the image']);
      const [near, far] = [dot(at(vectors, 0), at(vectors, 1)), dot(at(vectors, 0), at(vectors, 2))];
      expectTrue(near > far, `near ${near}, far ${far}`);
    }),
    using('returns nothing for no texts, and accepts an empty text', async (embedder) => {
      expectSame(await embedder.embed([]), []);
      const [empty] = await embedder.embed(['']);
      expectTrue(empty?.every(Number.isFinite) === true, 'only finite numbers');
    }),
    using('does nothing once its signal has aborted', (embedder) =>
      expectStopped((signal) => embedder.embed(['a'], { signal })),
    ),
    using('has an id of platform and model, and can be closed twice', async (embedder) => {
      expectTrue(/^[a-z]+:./.test(embedder.id), `an id such as "acme:model": ${embedder.id}`);
      await embedder.close();
    }),
  ];
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);
}

function at(vectors: readonly Float32Array[], index: number): Float32Array {
  const vector = vectors[index];
  if (vector === undefined) throw new Error(`vector ${index} is missing`);
  return vector;
}
