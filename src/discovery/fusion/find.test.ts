import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../vectors/embedder.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { fakeTool, makeConfigs } from '../boards.test-helper.ts';
import type { RankedResult } from '../rank-tools.ts';
import { ToolIndex } from '../tool-index.ts';

/** Meanings of a few words, in three directions; all others have one of their own. */
const MEANINGS: Readonly<Record<string, number>> = {
  car: 0,
  vehicle: 0,
  flivver: 0,
  mail: 1,
  letter: 1,
  message: 1,
  rain: 2,
  weather: 2,
  forecast: 2,
};

function createMeaningEmbedder(): Embedder & { asked: string[]; failure: Error | undefined } {
  const embedder = {
    id: 'meaning:128',
    dimension: 128,
    asked: [] as string[],
    failure: undefined as Error | undefined,
    embed: async (texts: readonly string[]) => {
      if (embedder.failure !== undefined) throw embedder.failure;
      embedder.asked.push(...texts);
      return texts.map((text) => {
        const vector = new Float32Array(128);
        for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
          const own = 3 + ((word.charCodeAt(0) * 31 + word.length * 7 + word.charCodeAt(word.length - 1)) % 125);
          const direction = MEANINGS[word];
          vector[direction ?? own] = (vector[direction ?? own] ?? 0) + (direction === undefined ? 0.3 : 1);
        }
        const length = Math.hypot(...vector);
        return vector.map((number) => number / length);
      });
    },
    close: async () => {},
  };
  return embedder;
}

const filler = Array.from({ length: 20 }, (_, n) => fakeTool(`thing_${n}`, `Counts number ${n} of the stock`));

function open(): { registry: ToolRegistry; index: ToolIndex; embedder: ReturnType<typeof createMeaningEmbedder> } {
  const embedder = createMeaningEmbedder();
  const registry = new ToolRegistry().registerMany([
    fakeTool('hire_vehicle', 'Hires a vehicle', { source: 'rent', category: 'travel' }),
    fakeTool('write_letter', 'Writes a letter', { source: 'post', utterances: ['post it'] }),
    fakeTool('read_forecast', 'Reads the forecast', {
      source: 'sky',
      schema: { type: 'object', properties: { cityName: { type: 'string' } } },
    }),
    ...filler,
  ]);
  return { registry, index: ToolIndex.from(registry, { embedder }), embedder };
}

const namesOf = ({ hits }: RankedResult): string[] => hits.map(({ name }) => name);

describe('find without an embedder', () => {
  it('returns the same as rank', async () => {
    const index = ToolIndex.from(makeConfigs());
    for (const query of ['which files did I change', 'containers', 'zzzz', '', 'git_log']) {
      expect(await index.find(query, { explain: true })).toEqual(index.rank(query, { explain: true }));
    }
  });
});

describe('find with an embedder', () => {
  it('finds by meaning when words find nothing', async () => {
    const { index } = open();
    expect(index.rank('flivver').hits).toEqual([]);
    const { hits, note } = await index.find('flivver');
    expect(hits.map(({ name }) => name)).toEqual(['hire_vehicle']);
    expect(hits[0]?.similarity).toBeGreaterThan(0.8);
    expect(hits[0]?.score).toBe(hits[0]?.similarity);
    expect(note).toBeUndefined();
  });

  it('puts a named tool first, and one with the words before one with neither', async () => {
    const { index } = open();
    expect(namesOf(await index.find('thing_7'))[0]).toBe('thing_7');
    expect(namesOf(await index.find('count stock number 3'))[0]).toBe('thing_3');
    const { hits } = await index.find('rain, then count the stock number 5', { limit: 5 });
    expect(hits.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_forecast', 'thing_5']));
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('reports that nothing fits', async () => {
    const { index } = open();
    const { hits, note, closest } = await index.find('qwertz');
    expect(hits).toEqual([]);
    expect(note).toMatch(/^No tool fits this query\./);
    expect(closest).toBeDefined();
  });

  it('handles filters, pages and bad input like rank', async () => {
    const { index } = open();
    expect(namesOf(await index.find('flivver', { cli: 'post' }))).toEqual([]);
    expect(namesOf(await index.find('flivver', { category: 'TRAVEL' }))).toEqual(['hire_vehicle']);
    expect(namesOf(await index.find('flivver', { limit: 0 }))).toEqual([]);
    const all = namesOf(await index.find('stock forecast', { limit: 30 }));
    const pages = [0, 5, 10].map(async (offset) => namesOf(await index.find('stock forecast', { limit: 5, offset })));
    expect((await Promise.all(pages)).flat()).toEqual(all.slice(0, 15));
    await expect(index.find('x', { limit: -1 })).rejects.toMatchObject({ code: 'invalid_arguments', field: 'limit' });
    // @ts-expect-error a caller without types
    await expect(index.find(7)).rejects.toMatchObject({ code: 'invalid_arguments', field: 'query' });
    expect(namesOf(await index.find('flivver '.repeat(20_000)))[0]).toBe('hire_vehicle');
  });

  it('explains words and folds duplicates like rank', async () => {
    const embedder = createMeaningEmbedder();
    const index = ToolIndex.from(
      [
        { name: 'one', tools: [fakeTool('one_send', 'Sends a letter to a person far away')] },
        { name: 'two', tools: [fakeTool('two_send', 'Sends a letter to a person far away')] },
      ],
      { embedder },
    );
    const { hits, note } = await index.find('letter', { explain: true });
    expect(hits).toHaveLength(1);
    expect(hits[0]?.duplicates).toEqual(['two_send']);
    expect(hits[0]?.matches).toEqual([{ word: 'letter', fields: ['description'] }]);
    expect(note).toContain('listed under duplicates');
  });

  it('embeds name, description, parameters and utterances once, then only changes', async () => {
    const { registry, index, embedder } = open();
    await index.prepare();
    expect(embedder.asked).toHaveLength(registry.size);
    expect(embedder.asked).toContain('read forecast: Reads the forecast city name');
    expect(embedder.asked).toContain('write letter: Writes a letter  post it');
    embedder.asked.length = 0;
    registry.register(fakeTool('drive', 'Drives an flivver'));
    registry.update('write_letter', fakeTool('write_letter', 'Tells of the rain'));
    registry.remove('hire_vehicle');
    expect(namesOf(await index.find('vehicle'))).toEqual(['drive']);
    expect(namesOf(await index.find('weather')).toSorted()).toEqual(['read_forecast', 'write_letter']);
    expect(embedder.asked.toSorted()).toEqual([
      'drive: Drives an flivver',
      'vehicle',
      'weather',
      'write letter: Tells of the rain',
    ]);
    registry.clear();
    expect((await index.find('vehicle')).note).toBe('The board has no tools.');
  });

  it('moves the vector of a tool towards the queries that led to it, and back when they are forgotten', async () => {
    const { index } = open();
    const similarityOf = async (name: string): Promise<number> =>
      (await index.find('rain message', { limit: 30 })).hits.find((hit) => hit.name === name)?.similarity ?? 0;
    const before = await similarityOf('hire_vehicle');
    // Learned at different times; "zyx" resembles neither the tool nor the other query, and must not count.
    index.learn('car in the rain', 'hire_vehicle');
    index.learn('zyx', 'hire_vehicle');
    const after = await similarityOf('hire_vehicle');
    expect(after).toBeGreaterThan(before + 0.05);
    expect((await index.find('zyx')).hits.find(({ name }) => name === 'hire_vehicle')?.similarity ?? 0).toBeLessThan(
      0.2,
    );
    index.forget('hire_vehicle');
    expect(await similarityOf('hire_vehicle')).toBeCloseTo(before, 5);
  });

  it('is certain of a tool that is close in meaning or named, and doubts below the given limit', async () => {
    const { index } = open();
    const near = await index.find('flivver');
    expect(near.certainty).toBeGreaterThan(0.6);
    expect(near.isDoubtful).toBeUndefined();
    index.doubtBelow = 0.99;
    expect((await index.find('flivver')).isDoubtful).toBe(true);
    expect(await index.find('thing_7')).toMatchObject({ certainty: 1 });
    expect((await index.find('thing_7')).isDoubtful).toBeUndefined();
  });

  it('embeds nothing before the first search', async () => {
    const { index, embedder } = open();
    index.rank('flivver');
    index.search({ query: 'vehicle' });
    await Promise.resolve();
    expect(embedder.asked).toEqual([]);
  });

  it('ranks by words when the embedder fails, with the reason', async () => {
    const { index, embedder } = open();
    embedder.failure = new Error('The embedder at http://127.0.0.1:1 does not answer.');
    const result = await index.find('forecast');
    expect(namesOf(result)).toEqual(['read_forecast']);
    expect(result.note).toBe(
      'Ranked by words alone, because the embedder failed: The embedder at http://127.0.0.1:1 does not answer.',
    );
  });

  it('ranks by words when vectors take longer than the caller waits', async () => {
    const embedder = createMeaningEmbedder();
    let release = (): void => {};
    const gate = new Promise<void>((open) => (release = open));
    const slow: Embedder = { ...embedder, embed: (texts) => gate.then(() => embedder.embed(texts)) };
    const index = ToolIndex.from([{ name: 'a', tools: [fakeTool('read_forecast', 'Reads the forecast')] }], {
      embedder: slow,
    });
    const early = await index.find('forecast', { wait: 0 });
    expect(namesOf(early)).toEqual(['read_forecast']);
    expect(early.note).toBe('Ranked by words alone: the vectors of 1 tool are still being computed.');
    release();
    expect((await index.find('rain')).hits).toHaveLength(1);
  });

  it('stops when its caller does', async () => {
    const { index } = open();
    await expect(index.find('x', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow();
  });
});
