import { dirname, join } from 'node:path';
import { WordMeanings } from './word-meanings.ts';

const FILE = 'word-meanings.bin';
/** Beside this file in the sources, above the chunk it is in when built. */
const FOLDERS_UP = 2;

let loaded: WordMeanings | null | undefined;

/** The meanings of words, read when first asked for; nothing where the package was bundled without the file. */
export function loadWordMeanings(): WordMeanings | undefined {
  if (loaded === undefined) {
    const path = findFile();
    loaded = path === undefined ? null : open(files().readFileSync(path));
  }
  return loaded ?? undefined;
}

/** The same for those who can wait. */
export async function fetchWordMeanings(): Promise<WordMeanings | undefined> {
  const path = loaded === undefined ? findFile() : undefined;
  const bytes = path === undefined ? undefined : await files().promises.readFile(path);
  if (bytes !== undefined) loaded ??= open(bytes);
  return loadWordMeanings();
}

/** Importing `node:fs` loads all of its parts: that is left to the first question for meanings. */
function files(): typeof import('node:fs') {
  return process.getBuiltinModule('node:fs');
}

function open(bytes: Buffer): WordMeanings {
  // Numbers must stand at places they divide, which the memory that buffers share does not promise.
  return new WordMeanings(new Uint8Array(bytes));
}

function findFile(): string | undefined {
  let folder = import.meta.dirname;
  for (let up = 0; up <= FOLDERS_UP; up++, folder = dirname(folder)) {
    if (files().existsSync(join(folder, FILE))) return join(folder, FILE);
  }
  return undefined;
}
