import { dirname, join } from 'node:path';
import { WordMeanings } from './word-meanings.ts';

const FILE = 'word-meanings.bin';
/** The file is next to this one in the sources, and above the chunk that contains it in a build. */
const FOLDERS_UP = 2;

let loaded: WordMeanings | null | undefined;

/** Returns the meanings of words, loaded on first use, or `undefined` if the package was bundled without the file. */
export function loadWordMeanings(): WordMeanings | undefined {
  if (loaded === undefined) {
    const path = findFile();
    loaded = path === undefined ? null : open(files().readFileSync(path));
  }
  return loaded ?? undefined;
}

/** Does the same as `loadWordMeanings` without blocking. */
export async function fetchWordMeanings(): Promise<WordMeanings | undefined> {
  const path = loaded === undefined ? findFile() : undefined;
  const bytes = path === undefined ? undefined : await files().promises.readFile(path);
  if (bytes !== undefined) loaded ??= open(bytes);
  return loadWordMeanings();
}

/** Loads `node:fs` on first use, because importing it loads all of its parts. */
function files(): typeof import('node:fs') {
  return process.getBuiltinModule('node:fs');
}

function open(bytes: Buffer): WordMeanings {
  // Typed arrays must be aligned, which the memory that buffers share does not guarantee.
  return new WordMeanings(new Uint8Array(bytes));
}

function findFile(): string | undefined {
  let folder = import.meta.dirname;
  for (let up = 0; up <= FOLDERS_UP; up++, folder = dirname(folder)) {
    if (files().existsSync(join(folder, FILE))) return join(folder, FILE);
  }
  return undefined;
}
