import { describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { fakeTool, makeConfigs } from '../boards.test-helper.ts';
import { ToolIndex } from '../tool-index.ts';
import { evaluate, evaluateUtterances } from './evaluate.ts';
import { averageMeasures, measureSearch } from './measures.ts';

const index = ToolIndex.from(makeConfigs());

describe('measureSearch', () => {
  it('counts needs, each satisfied by any of its tools', () => {
    expect(measureSearch(['a', 'b', 'c', 'd', 'e', 'f'], [['b'], ['x', 'f']])).toEqual({
      'recall@1': 0,
      'recall@5': 0.5,
      'recall@10': 1,
      'ndcg@10': (1 / Math.log2(3) + 1 / Math.log2(7)) / (1 + 1 / Math.log2(3)),
      mrr: 0.5,
      'completeness@10': 1,
    });
  });

  it('returns 1 for a perfect search, 0 for a tool that is missing or comes eleventh', () => {
    expect(Object.values(measureSearch(['a'], [['a']]))).toEqual([1, 1, 1, 1, 1, 1]);
    const late = Array.from('bcdefghijka');
    expect(Object.values(measureSearch(late, [['a']]))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(Object.values(averageMeasures([]))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('is never above 1, even if one tool satisfies several needs', () => {
    expect(Object.values(measureSearch(['a', 'b'], [['a'], ['a', 'b']]))).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

describe('evaluate', () => {
  it('measures hits and lists misses with the tools found instead', async () => {
    const done: number[] = [];
    const evaluation = await evaluate(
      index,
      [
        { query: 'record my changes', expected: ['git_commit'] },
        { query: 'find a note', expected: ['find_note', 'docker_ps'] },
        { query: 'history', expected: [], groups: [['docker_run', 'git_log']] },
      ],
      { onProgress: (count) => done.push(count) },
    );
    expect(evaluation).toMatchObject({
      queries: 3,
      tools: 8,
      measures: { 'recall@10': (1 + 0.5 + 1) / 3, 'completeness@10': 2 / 3, mrr: 1 },
      misses: [{ query: 'find a note', missing: ['docker_ps'], found: expect.arrayContaining(['find_note']) }],
    });
    expect(evaluation.tokens).toBeGreaterThan(0);
    expect(evaluation.latency.p99).toBeGreaterThanOrEqual(evaluation.latency.p50);
    expect(done).toEqual([1, 2, 3]);
  });

  it('measures doubt with and without the tools, and suggests a limit', async () => {
    const words = Array.from({ length: 60 }, (_, n) => `w${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10)]}yx`);
    const toTool = (word: string): ReturnType<typeof fakeTool> =>
      fakeTool(`print_${word}`, `Prints the yearly customer report of ${word}`);
    const own = ToolIndex.from([{ name: 'a', tools: words.map(toTool) }]);
    const queries = words.map((word) => ({
      query: `print yearly customer report of ${word}`,
      expected: [`print_${word}`],
    }));
    const { doubt } = await evaluate(own, queries);
    expect(doubt).toMatchObject({ there: 0, removed: 0, best: { there: 0, removed: 1 } });
    // The limit keeps a distance from queries that are doubted wrongly, and none is suggested if the board's own is as
    // good.
    const surest = own.rank(queries[0]?.query ?? '').certainty ?? 0;
    expect(doubt?.best?.doubtBelow).toBeLessThan(surest - 0.1);
    const easy = words.map((word) => ({ query: `${word} tomorrow`, expected: [`print_${word}`] }));
    expect((await evaluate(own, easy)).doubt).toEqual({ there: 0, removed: 1 });
    // A few queries give no limit.
    expect((await evaluate(own, queries.slice(0, 3))).doubt).not.toHaveProperty('best');
  });

  it('names unknown tools with the nearest names, and queries that expect nothing', async () => {
    const queries = [
      { query: 'a', expected: ['git_comit'] },
      { query: 'b', expected: [] },
      { query: 'c', expected: ['qqqq'] },
    ];
    const error: unknown = await evaluate(index, queries).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(String(error).split('\n').slice(1)).toEqual([
      expect.stringMatching(/^- "a" expects "git_comit", which is not on the board\. Did you mean "git_commit"/),
      '- "b" expects no tool.',
      '- "c" expects "qqqq", which is not on the board.',
    ]);
  });

  it('compares meanings if the index has an embedder', async () => {
    const embedder = createTestEmbedder();
    const withMeaning = ToolIndex.from(makeConfigs(), { embedder });
    const { measures } = await evaluate(withMeaning, [{ query: 'record my changes', expected: ['git_commit'] }]);
    expect(measures['recall@1']).toBe(1);
  });

  it('returns no measures of words alone when the embedder fails', async () => {
    const embedder = { ...createTestEmbedder(), embed: () => Promise.reject(new Error('no such model')) };
    const broken = ToolIndex.from(makeConfigs(), { embedder });
    await expect(evaluate(broken, [{ query: 'history', expected: ['git_log'] }])).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: 'The evaluation was stopped, because the embedder failed: no such model',
    });
  });

  it('stops when its caller does', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(evaluate(index, [{ query: 'a', expected: ['git_log'] }], { signal })).rejects.toThrow('enough');
  });
});

describe('evaluateUtterances', () => {
  it('runs each utterance on an index without it, and leaves the board unchanged', async () => {
    const registry = new ToolRegistry().registerMany([
      fakeTool('bake', 'Bakes things', { utterances: ['make pancakes', 'pancakes for breakfast', 'zebra crossing'] }),
      fakeTool('drive', 'Drives about', { utterances: ['take me home'] }),
    ]);
    const before = ToolIndex.from(registry)
      .rank('zebra')
      .hits.map(({ name }) => name);
    const { queries, misses, measures } = await evaluateUtterances({ registry });
    expect(queries).toBe(4);
    expect(before).toEqual(['bake']);
    // Only the two utterances with the same meaning help each other.
    expect(misses.map(({ query }) => query)).toEqual(['zebra crossing', 'take me home']);
    expect(measures['recall@1']).toBe(0.5);
    expect(registry.get('bake')?.metadata.utterances).toHaveLength(3);
  });

  it('embeds a tool without the tested utterance', async () => {
    const asked: string[] = [];
    const inner = createTestEmbedder();
    const embedder = {
      ...inner,
      embed: (texts: readonly string[]) => {
        asked.push(...texts);
        return inner.embed(texts);
      },
    };
    const registry = new ToolRegistry().register(fakeTool('bake', 'Bakes', { utterances: ['pancakes', 'waffles'] }));
    await evaluateUtterances({ registry }, { embedder });
    expect(asked).toContain('bake: Bakes  waffles');
    expect(asked).toContain('bake: Bakes  pancakes');
  });
});
