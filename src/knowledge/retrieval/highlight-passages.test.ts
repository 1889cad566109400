import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Embedder, type KnowledgeHit, openKnowledge } from '../../rag.ts';
import { makePdf } from '../documents/make-pdf.test-helper.ts';
import { toCitation } from '../../kinds/rag/format-hits.ts';
import { splitSentences } from './highlight-passages.ts';

describe('splitSentences', () => {
  it('keeps sentences unchanged, even over two lines', () => {
    const text = 'Users log in\nwith a passkey. Sessions end e.g. after a day! Why?\n\nNext paragraph';
    expect(splitSentences(text)).toEqual([
      'Users log in\nwith a passkey.',
      'Sessions end e.g. after a day!',
      'Why?',
      'Next paragraph',
    ]);
  });

  it('splits items, rows and lines of code, without headings', () => {
    const text =
      '# Title\n- first item\n2. second\n| a | b |\n| - | - |\n> quoted words\n\n```sh\nnpm ci\nnpm test\n```\nEnd.';
    expect(splitSentences(text)).toEqual([
      'first item',
      'second',
      '| a | b |',
      'quoted words',
      'npm ci',
      'npm test',
      'End.',
    ]);
  });

  it('cuts endless sentences, and returns nothing for text without words', () => {
    expect(splitSentences('word '.repeat(1000))[0]).toHaveLength(400);
    expect(splitSentences('--- *** ===\n\n')).toEqual([]);
  });
});

describe('highlights', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-highlights-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function ask(query: string, embedder?: Embedder): Promise<readonly KnowledgeHit[]> {
    const knowledge = openKnowledge({ base: folder, collections: { docs: {} }, ...(embedder && { embedder }) });
    const docs = knowledge.collection('docs');
    await docs.index(['.'], { cwd: folder });
    const { hits } = await docs.search(query);
    await knowledge.close();
    return hits;
  }

  it('have the page of a PDF, even in a passage of several pages and after an empty one', async () => {
    writeFileSync(join(folder, 'a.pdf'), makePdf(['Lamps are in the cellar.', '', 'Umbrellas are lent.', 'The end.']));
    const [hit] = await ask('where are umbrellas lent');
    expect(hit?.lines).toEqual({ from: 1, to: 4 });
    expect(hit?.highlights).toEqual([{ text: 'Umbrellas are lent.', page: 3 }]);
  });

  it('have the line of the file in which they begin, even in a later chunk', async () => {
    const filler = Array.from({ length: 30 }, (_, n) => `Paragraph ${n} speaks about gardening at some length.\n\n`);
    const text = `# Guide\n\n## Login\n\n${filler.join('')}Users log in.\nA session ends after\na day of silence.\n`;
    writeFileSync(join(folder, 'guide.md'), text);
    const [hit] = await ask('when does a session end');
    expect(hit?.highlights).toEqual([{ text: 'A session ends after\na day of silence.', line: 66, heading: 'Login' }]);
    expect(text.split('\n')[65]).toBe('A session ends after');
    expect(hit?.text).toContain(hit?.highlights[0]?.text);
    expect(toCitation(hit ?? expect.fail())).toEqual({
      path: 'guide.md',
      heading: 'Guide > Login',
      line: expect.stringMatching(/^\d+-67$/),
    });
  });

  it('have the lines of rows, even in a chunk that repeats the header of its table', async () => {
    const rows = Array.from({ length: 120 }, (_, n) => `| ${n} | ${n === 100 ? 'gasket' : 'thing'} of number ${n} |`);
    writeFileSync(join(folder, 'a.md'), `# Stock\n\n| No | Name |\n|---|---|\n${rows.join('\n')}\n`);
    const [hit] = await ask('gasket');
    expect(hit?.highlights).toEqual([{ text: '| 100 | gasket of number 100 |', line: 105, heading: 'Stock' }]);
    rmSync(join(folder, 'a.md'));
    const records = Array.from({ length: 120 }, (_, n) => `${n},${n === 100 || n === 1 ? 'gasket' : 'thing'} of ${n}`);
    writeFileSync(join(folder, 'b.csv'), `No,Name\n${records.join('\n')}\n`);
    const lines = (await ask('gasket')).flatMap(({ highlights }) => highlights.map(({ line }) => line));
    expect(lines.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([3, 102]);
  });

  it('have the nearest heading above them, even if the passage has several', async () => {
    writeFileSync(
      join(folder, 'a.md'),
      '# Login\n\nUse a passkey.\n\n```sh\n# no heading\n```\n\n## Sessions ##\n\nA session ends after a day.\n\n## Exit\n\nBye.\n',
    );
    const [hit] = await ask('session end');
    expect(hit?.highlights).toEqual([{ text: 'A session ends after a day.', line: 11, heading: 'Sessions' }]);
    expect((await ask('passkey'))[0]?.highlights).toEqual([{ text: 'Use a passkey.', line: 3, heading: 'Login' }]);
  });

  it('count rare words more than common ones, and are the same each time', async () => {
    writeFileSync(
      join(folder, 'a.md'),
      'The server starts. The server logs. The server stops. The server retries thrice. Nothing else.\n',
    );
    const [first] = await ask('how often does the server retry');
    expect(first?.highlights).toEqual([{ text: 'The server retries thrice.', line: 1 }]);
    expect(await ask('how often does the server retry')).toEqual([first]);
  });

  it('are found by meaning if no sentence has a word of the query', async () => {
    writeFileSync(join(folder, 'a.md'), 'Bread is baked here. A feline naps on the sofa. Rain falls.\n');
    const near = (text: string): Float32Array => Float32Array.from(/cat|feline/.test(text) ? [1, 0.1] : [0.1, 1]);
    const asked: string[][] = [];
    const embedder: Embedder = {
      id: 'near',
      dimension: 2,
      embed: async (texts) => {
        asked.push([...texts]);
        return texts.map(near);
      },
      close: async () => {},
    };
    const [hit] = await ask('cat', embedder);
    expect(hit?.highlights).toEqual([{ text: 'A feline naps on the sofa.', line: 1 }]);
    expect(asked.at(-1)).toEqual(['Bread is baked here.', 'A feline naps on the sofa.', 'Rain falls.']);
    // Words are enough if there are some.
    asked.length = 0;
    await ask('feline', embedder);
    expect(asked.at(-1)).toEqual(['feline']);
    const failing = {
      ...embedder,
      embed: async (texts: readonly string[]) => {
        if (texts.length > 1) throw new Error('too many');
        return texts.map(near);
      },
    };
    expect(await ask('cat', failing)).toMatchObject([{ highlights: [] }]);
  });
});
