import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBoard } from '../../../board/open-board.ts';
import type { Board } from '../../../board/board.ts';

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/climax');
let board: Board;
beforeAll(async () => {
  board = await openBoard([join(fixtures, 'git.yaml'), join(fixtures, 'vault.yaml')], { discoveryTools: 'climax' });
});
afterAll(() => board.close());

const search = async (input: Record<string, unknown>): Promise<Record<string, unknown>> =>
  JSON.parse((await board.call('climax_search', input)).text);
const call = async (tool_name: unknown, args?: unknown): Promise<string> =>
  (await board.call('climax_call', { tool_name, ...(args === undefined ? {} : { args }) })).text;

describe('climax_search', () => {
  it('has CLImax’s definition', () => {
    expect(board.registry.names().slice(-2)).toEqual(['climax_search', 'climax_call']);
    expect(board.registry.get('climax_search')?.inputSchema).toEqual({
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Search keyword (matched against tool name, description, CLI name, category, tags)',
        },
        category: { type: 'string', description: 'Filter by CLI category (exact match, case-insensitive)' },
        cli: { type: 'string', description: 'Filter by CLI name (exact match, case-insensitive)' },
        limit: { type: 'integer', description: 'Maximum number of results to return (default: 50)', default: 50 },
        offset: {
          type: 'integer',
          description:
            'Number of results to skip for pagination (default: 0). Use with limit to page through large result sets.',
          default: 0,
        },
      },
    });
  });

  it('summarizes the CLIs without arguments', async () => {
    const { mode, summary } = await search({});
    expect(mode).toBe('summary');
    expect(summary).toEqual(
      board.files.map(({ name, description, entries, category, tags }) => ({
        name,
        description,
        tool_count: entries.length,
        category: category ?? null,
        tags,
      })),
    );
    expect((await search({ limit: 1, offset: 1 }))['summary']).toHaveLength(1);
  });

  it('finds plain text and returns flat schemas, with counts for paging', async () => {
    const found = await search({ query: 'COMMIT', limit: 1 });
    expect(Object.keys(found)).toEqual(['mode', 'results', 'total_matches', 'offset', 'returned', 'has_more']);
    expect(found).toMatchObject({ mode: 'search', offset: 0, returned: 1, has_more: true });
    const [first] = found['results'] as Record<string, unknown>[];
    expect(Object.keys(first ?? {})).toEqual([
      'tool_name',
      'description',
      'cli_name',
      'category',
      'tags',
      'input_schema',
    ]);
    expect(first?.['input_schema']).not.toHaveProperty('additionalProperties');
    expect(JSON.stringify(found)).not.toContain('9007199254740991');
    expect(await search({ query: 'no such thing' })).toEqual({
      mode: 'search',
      results: [],
      total_matches: 0,
      offset: 0,
      returned: 0,
      has_more: false,
    });
  });

  it("treats an empty query as a search of everything, without the board's own tools", async () => {
    const all = await search({ query: '' });
    expect(all['mode']).toBe('search');
    expect(all['total_matches']).toBe(board.files.reduce((sum, { entries }) => sum + entries.length, 0));
  });

  it('filters by category and CLI in any case, together', async () => {
    const { results } = await search({ category: 'VCS', cli: board.files[0]?.name.toUpperCase(), query: 'log' });
    expect((results as { tool_name: string }[]).map(({ tool_name: name }) => name)).toContain('git_log');
  });
});

describe('climax_call', () => {
  it('runs the tool and returns its output as text', async () => {
    expect(await call('git_status', { short: 'TRUE', unknown: 1 })).not.toContain('failed');
    expect((await board.call('climax_call', { tool_name: 'git_status' })).meta.tool).toBe('git_status');
  });

  it('returns CLImax’s error messages', async () => {
    const names = board.files.flatMap(({ entries }) => entries.map(({ metadata }) => metadata.name)).toSorted();
    expect(await call('nope')).toBe(`Unknown tool: nope. Available tools: ${names.join(', ')}`);
    expect(await call(undefined)).toBe("Missing required argument 'tool_name'");
    expect(await call('git_show_file', {})).toBe("Argument validation failed:\n  - Missing required argument 'object'");
    expect(await call('git_log', { max_count: 'hello' })).toBe(
      "Argument validation failed:\n  - Argument 'max_count': cannot convert 'hello' to integer",
    );
    expect(await call('git_status', { short: 'perhaps' })).toBe(
      "Argument validation failed:\n  - Argument 'short': cannot convert 'perhaps' to boolean",
    );
    expect(await call('climax_call', {})).toMatch(/^Unknown tool: climax_call\. /);
  });
});
