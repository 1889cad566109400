import { createLocalEmbedder } from '../../src/vectors/local/local-embedder.ts';

/** Numbers in a vector of MiniLM. */
export const DIMENSIONS = 384;
const AT_ONCE = 400;

/** Has MiniLM embed each word by itself, which takes some minutes. */
export async function embedWords(words: readonly string[]): Promise<Map<string, Float32Array>> {
  const embedder = createLocalEmbedder();
  const done = new Map<string, Float32Array>();
  for (let start = 0; start < words.length; start += AT_ONCE) {
    const part = words.slice(start, start + AT_ONCE);
    for (const [place, vector] of (await embedder.embed(part)).entries()) {
      done.set(part[place] ?? '', Float32Array.from(vector));
    }
    console.error(`${start + part.length} of ${words.length} words`);
  }
  await embedder.close();
  return done;
}
