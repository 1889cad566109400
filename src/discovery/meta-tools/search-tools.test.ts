import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../tool/tool-result.ts';
import { toMcpCallResult } from '../../export/mcp.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { fakeTool } from '../boards.test-helper.ts';
import { ToolIndex } from '../tool-index.ts';
import { createDiscoveryTools } from './create-discovery-tools.ts';
import { describeBriefly } from './texts/describe-hit.ts';
import { makeBoard } from './meta-tools.test-helper.ts';

const { registry, index } = makeBoard();
const search = (input: Record<string, unknown>): Promise<ToolResult> => registry.call('search_tools', input);

describe('search_tools', () => {
  it('writes one line for each hit, best first, and the same as data', async () => {
    const { text, data } = await search({ query: 'commit history', limit: 1 });
    expect(text.split('\n')[0]).toBe('git_log(path: string, limit?: integer = 20) — Shows the commit history');
    expect(data).toMatchObject({
      tools: [
        {
          name: 'git_log',
          signature: 'git_log(path: string, limit?: integer = 20)',
          description: 'Shows the commit history.',
          source: 'git',
          risk: 'read',
        },
      ],
    });
  });

  it('writes names only, or full descriptions', async () => {
    expect((await search({ query: 'containers', detail: 'names' })).text).toBe('docker_ps');
    expect((await search({ query: 'commit history', detail: 'full', limit: 1 })).text).toContain(
      `git_log(path: string, limit?: integer = 20)
Shows the commit history.
- path: The file to look at
- limit: (1 to 100)
risk: read; source: git; category: vcs; tags: history`,
    );
    const json = await search({ query: 'commit history', detail: 'full', schema: 'json', limit: 1 });
    expect(json.text).toContain('"additionalProperties":false');
  });

  it('answers several queries as groups, no tool twice', async () => {
    const { text, data } = await search({
      queries: ['see which files changed', 'commit history of a file', 'send an email'],
    });
    const { groups } = data as { groups: { query: string; tools: { name: string }[] }[] };
    expect(groups.map(({ tools }) => tools[0]?.name)).toEqual(['git_status', 'git_log', 'send.mail']);
    const names = groups.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(text).toMatch(/^1\. see which files changed\ngit_status\(\)/);
    expect(text).toContain('\n\n3. send an email\nsend.mail() — Sends an email to a person');
  });

  it('points from a group to a tool that is listed in another', async () => {
    const { text } = await search({ queries: ['email', 'send an email'] });
    expect(text).toContain('Also: send.mail (see 1)');
  });

  it('writes the overview without arguments', async () => {
    for (const nothing of [{}, { query: '' }, { query: ' \n' }, { queries: [] }]) {
      expect((await search(nothing)).text).toBe(`5 tools from 3 sources:
- git (3)
- docker (1)
- mail (1)
Categories: vcs 3, containers 1
Tags: history 2
Give a query, or filter by source, category, tag, risk or kind.`);
    }
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ source: 'GIT' }, ['git_log', 'git_status', 'git_push']],
    [{ category: 'containers' }, ['docker_ps']],
    [{ tag: 'history', query: 'changed' }, ['git_status']],
    [{ risk: 'destructive' }, ['git_push']],
    [{ kind: 'cli' }, ['docker_ps']],
  ])('filters by %j', async (input, names) => {
    const { data } = await search(input);
    expect((data as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(names),
    );
    expect((data as { tools: unknown[] }).tools).toHaveLength(names.length);
  });

  it('lists the existing values for a filter that no tool passes', async () => {
    const { ok, text } = await search({ category: 'vsc', query: 'log' });
    expect([ok, text]).toEqual([true, 'No tool has the category "vsc". There are: vcs, containers.']);
    expect((await search({ source: 'github' })).text).toBe(
      'No tool has the source "github". There are: git, docker, mail.',
    );
  });

  it('reports that nothing fits, with the closest groups', async () => {
    const { ok, text, data } = await search({ query: 'zzqx' });
    expect(ok).toBe(true);
    expect(text).toMatch(/^No tool fits this query\. Closest categories: vcs, containers\./);
    expect(data).toMatchObject({ tools: [] });
  });

  it('is sent to MCP clients as text only, so that no token is spent twice', async () => {
    const { structuredContent, content } = toMcpCallResult(await search({ query: 'commit history' }));
    expect(structuredContent).toBeUndefined();
    expect(content).toHaveLength(1);
  });

  it('names tools of other sources that do the same', async () => {
    const twins = ['a.find_page', 'b.find_page', 'c.find_page'].map((name) =>
      fakeTool(name, 'Finds a page of the handbook.', { source: name.slice(0, 1) }),
    );
    const { registry: other } = makeBoard({}, twins);
    const { text } = await other.call('search_tools', { query: 'find a page of the handbook' });
    expect(text.split('\n')[0]).toBe('a.find_page() [same: b.find_page and 1 more] — Finds a page of the handbook');
  });

  it('mentions filters if nothing fits', async () => {
    expect((await search({ query: 'zzqx', category: 'vcs' })).text).toMatch(/Or search without the filters\.$/);
  });

  it('pages, and names the next offset', async () => {
    const first = await search({ source: 'git', limit: 2 });
    expect(first.text.split('\n').at(-1)).toBe('More: offset 2.');
    expect((await search({ query: 'commit', offset: 40 })).text).toBe('No more tools: fewer than 41 fit.');
    expect((await search({ source: 'git', limit: 2, offset: 2 })).text).toBe(
      'git_push() [destructive] — Uploads commits to a remote',
    );
  });

  it('returns at most 50', async () => {
    const more = Array.from({ length: 60 }, (_, number) => fakeTool(`t${number}`, 'Counts', { source: 'many' }));
    const { registry } = makeBoard({}, more);
    const { text } = await registry.call('search_tools', { source: 'many', limit: 1e9, detail: 'names' });
    expect(text.match(/\bt\d+/g)).toHaveLength(50);
    expect(text).toContain('More: offset 50.');
  });

  it.each([
    [{ limit: -1 }, 'limit: must be at least 1, got -1'],
    [{ limit: NaN }, 'limit: must be a finite number'],
    [{ limit: 2.5 }, 'limit: must be integer'],
    [{ offset: -1 }, 'offset: must be at least 0'],
    [{ detail: 'all' }, 'detail: '],
    [{ query: 5 }, 'query: must be string'],
    [{ queries: 'log' }, 'queries: must be array'],
    [{ q: 'log' }, 'q: is not a known argument. Known: query, queries'],
  ])('refuses %j and says what to change', async (input, message) => {
    const { error } = await search({ ...input });
    expect(error?.code).toBe('invalid_arguments');
    expect(error?.message).toContain(message);
  });

  it.each(['a', 'x'.repeat(100_000), 'log '.repeat(25_000), '\u0000\u001b[2J\u202E', 'the of and', '提交历史', '(((('])(
    'answers any query',
    async (query) => {
      const { ok, text } = await search({ query });
      expect(ok).toBe(true);
      expect(text.length).toBeLessThan(5_000);
    },
  );

  it('is not found itself, nor counted', async () => {
    expect(index.size).toBe(5);
    expect(index.get('search_tools')).toBeUndefined();
    expect(index.rank('search tools by what they do').hits.map(({ name }) => name)).not.toContain('search_tools');
    expect(index.summary().map(({ name }) => name)).toEqual(['git', 'docker', 'mail']);
  });

  it('stays short on a board with 200 sources', async () => {
    const large = new ToolRegistry();
    for (let number = 0; number < 2000; number++) {
      large.register(
        fakeTool(`tool_${number}`, 'Does something.', {
          source: `server-${number % 200}`,
          category: `category-${number % 100}`,
          tags: [`tag-${number % 300}`],
        }),
      );
    }
    large.registerMany(createDiscoveryTools({ registry: large, index: ToolIndex.from(large) }));
    const { text } = await large.call('search_tools', {});
    expect(text).toContain('2000 tools from 200 sources:');
    expect(text).toContain('…140 more');
    expect(countTokens(text)).toBeLessThan(900);
  });
});

describe('a brief hit', () => {
  const root = join(import.meta.dirname, '../../..');
  const long = readFileSync(join(root, 'README.md'), 'utf8');
  const pages = globSync('docs/*.md', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));

  it('costs under 60 tokens, however long the description, the name and the parameters are', () => {
    const names = ['t', 'get_the_detailed_status_of_a_pipeline_run_of_a_project', 'x'.repeat(60), 'aB3'.repeat(8)];
    const schemas = [0, 1, 5, 40].map((count) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, number) => [
          `filter_by_field_${number}`,
          {
            anyOf: [
              { type: 'string' },
              { type: 'array', items: { enum: ['first value', 'second value', 'third value'] } },
            ],
          },
        ]),
      ),
      required: count > 1 ? ['filter_by_field_1'] : [],
    }));
    for (const description of [long, ...pages, 'x'.repeat(10_000), '説明'.repeat(500), 'Short.']) {
      for (const name of names) {
        for (const schema of schemas) {
          const text = describeBriefly(fakeTool(name, description, { schema, risk: 'destructive' }));
          expect({ text, isShort: countTokens(text) < 60 }).toEqual({ text, isShort: true });
          expect(text).not.toContain('\n');
        }
      }
    }
  });

  it('cuts a description at the end of its first sentence, or of a word', () => {
    expect(describeBriefly(fakeTool('a', 'Reads a file. Then more.'))).toBe('a() — Reads a file');
    expect(describeBriefly(fakeTool('a', 'Works with e.g. Files or v1.2 of them'))).toBe(
      'a() — Works with e.g. Files or v1.2 of them',
    );
    expect(describeBriefly(fakeTool('a', '读取一个文件的全部内容并且返回。然后更多。'))).toBe(
      'a() — 读取一个文件的全部内容并且返回',
    );
    const cut = describeBriefly(fakeTool('a', `${'Some words '.repeat(40)}end`));
    expect(cut).toMatch(/ (?:Some|words)…$/);
  });

  it('shows no invisible character', () => {
    expect(describeBriefly(fakeTool('a', 'Reads\u0000 a\u200B \u202Efile\u{E0041}.'))).toBe(
      String.raw`a() — Reads\u0000 a\u200b \u202efile\u{e0041}`,
    );
  });
});
