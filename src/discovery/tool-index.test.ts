import { describe, expect, it } from 'vitest';
import type { ToolError } from '../tool/tool-error.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { fakeTool, makeConfigs } from './boards.test-helper.ts';
import { ToolIndex } from './tool-index.ts';

const index = ToolIndex.from(makeConfigs());
const namesOf = (entries: readonly { readonly name: string }[]): string[] => entries.map(({ name }) => name);
const many = ToolIndex.from([
  {
    name: 'many',
    tools: Array.from({ length: 60 }, (_, n) => fakeTool(`status_${n}`, `Shows the status of thing ${n}`)),
  },
]);

describe('agent searches for relevant tools by keyword', () => {
  it('finds the word in names, descriptions and tags, each entry with the whole argument schema', () => {
    const entries = index.search({ query: 'commit' });
    expect(namesOf(entries)).toEqual(['git_commit', 'git_log']);
    expect(entries[0]).toEqual({
      name: 'git_commit',
      description: 'Record changes to the repository',
      cli: 'git-tools',
      category: 'vcs',
      tags: ['version-control'],
      inputSchema: {
        type: 'object',
        properties: {
          message: { type: 'string', description: 'What was changed' },
          mode: { type: 'string', enum: ['all', 'staged'], default: 'staged' },
        },
        required: ['message'],
      },
    });
    expect(namesOf(index.search({ query: 'version-control' }))).toHaveLength(4);
  });

  it('returns at most limit results of an index with more than 50 tools', () => {
    expect(many.size).toBe(60);
    expect(namesOf(many.search({ query: 'status', limit: 5 }))).toEqual([
      'status_0',
      'status_1',
      'status_2',
      'status_3',
      'status_4',
    ]);
  });

  it('returns the same for COMMIT and commit', () => {
    expect(namesOf(index.search({ query: 'COMMIT' }))).toEqual(namesOf(index.search({ query: 'commit' })));
  });

  it('returns only tools of configs with the category', () => {
    expect(namesOf(index.search({ category: 'vcs' }))).toEqual(['git_status', 'git_commit', 'git_log', 'git_branch']);
  });

  it('returns only tools of the config with the name', () => {
    expect(namesOf(index.search({ cli: 'docker-tools' }))).toEqual(['docker_ps', 'docker_run', 'docker_status']);
  });

  it('applies all filters together', () => {
    expect(namesOf(index.search({ query: 'branch', category: 'vcs' }))).toEqual(['git_branch']);
    expect(index.search({ query: 'branch', category: 'containers' })).toEqual([]);
  });

  it('compares category, cli and tag exactly, in any case', () => {
    expect(index.search({ category: 'VCS', cli: 'GIT-TOOLS', tag: 'Version-Control' })).toHaveLength(4);
    expect(index.search({ category: 'vc' })).toEqual([]);
    expect(index.search({ cli: 'git' })).toEqual([]);
    expect(index.search({ tag: 'version' })).toEqual([]);
  });

  it('searches the cli name and the category too', () => {
    expect(namesOf(index.search({ query: 'docker-t' }))).toHaveLength(3);
    expect(namesOf(index.search({ query: 'container' }))).toHaveLength(3);
  });

  it('filters by risk and by kind', () => {
    expect(namesOf(index.search({ risk: 'destructive' }))).toEqual(['docker_run']);
    // A tool without a risk counts as one that writes, as in policies.
    expect(namesOf(index.search({ risk: 'write', limit: 1 }))).toEqual(['git_status']);
    expect(index.groups().risk).toEqual([
      ['write', 7],
      ['destructive', 1],
    ]);
    expect(index.search({ kind: 'cli' })).toEqual([]);
  });
});

describe('agent gets an overview without searching', () => {
  it('returns each source with its tool count, category and tags', () => {
    expect(index.summary()).toEqual([
      { name: 'git-tools', description: 'Git', toolCount: 4, category: 'vcs', tags: ['version-control'] },
      { name: 'docker-tools', description: 'Docker', toolCount: 3, category: 'containers', tags: [] },
      { name: 'notes', description: '', toolCount: 1, category: null, tags: [] },
    ]);
  });

  it('takes the category from its tools if they agree, and their tags', () => {
    const registry = new ToolRegistry().registerMany([
      fakeTool('a', 'One', { source: 'x', category: 'web', tags: ['fast'] }),
      fakeTool('b', 'Two', { source: 'x', category: 'web', tags: ['slow'] }),
      fakeTool('c', 'Three'),
    ]);
    expect(ToolIndex.from(registry).summary()).toEqual([
      { name: 'x', description: '', toolCount: 2, category: 'web', tags: ['fast', 'slow'] },
      { name: 'code', description: '', toolCount: 1, category: null, tags: [] },
    ]);
  });

  it('takes descriptions from the files of a board, and skips files without tools', () => {
    const registry = new ToolRegistry().register(fakeTool('a', 'One', { source: 'x' }));
    const files = [
      { name: 'policy', description: 'Rules' },
      { name: 'x', description: 'Things', category: 'web', tags: ['t'] },
    ];
    const board = ToolIndex.from({ registry, files });
    expect(board.summary()).toEqual([{ name: 'x', description: 'Things', toolCount: 1, category: 'web', tags: ['t'] }]);
    expect(board.search({ category: 'web', tag: 't' })).toHaveLength(1);
  });
});

describe('agent retrieves a tool by its exact name', () => {
  it('returns the tool ready to run', async () => {
    expect(await index.get('git_status')?.execute({})).toBe('git_status ran');
  });

  it('returns undefined for an unknown name', () => {
    expect(index.get('nonexistent_tool')).toBeUndefined();
    expect(index.get('__proto__')).toBeUndefined();
    expect(index.get('GIT_STATUS')).toBeUndefined();
  });
});

describe('edge cases', () => {
  it('lets the last config win when two define one name, with a warning', () => {
    const twice = ToolIndex.from([
      { name: 'first', tools: [fakeTool('same', 'Old'), fakeTool('other', 'Other')] },
      { name: 'second', tools: [fakeTool('same', 'New')] },
    ]);
    expect(twice.search().map(({ name, cli, description }) => [name, cli, description])).toEqual([
      ['other', 'first', 'Other'],
      ['same', 'second', 'New'],
    ]);
    expect(twice.warnings).toEqual(['Tool "same" is in first and in second; the one in second is used.']);
    expect(twice.summary().map(({ toolCount }) => toolCount)).toEqual([1, 1]);
  });

  it('browses in the order of the configs when nothing is given, or only null', () => {
    const first = ['git_status', 'git_commit', 'git_log', 'git_branch', 'docker_ps', 'docker_run'];
    expect(namesOf(index.search()).slice(0, 6)).toEqual(first);
    expect(index.search({ query: null, category: null, cli: null, limit: null })).toHaveLength(8);
    expect(many.search({})).toHaveLength(10);
    expect(namesOf(many.search({ offset: 58 }))).toEqual(['status_58', 'status_59']);
  });

  it('returns an empty list when nothing matches', () => {
    expect(index.search({ query: 'zebra' })).toEqual([]);
  });

  it('returns an empty list for a limit of 0, ranked or not', () => {
    expect(index.search({ query: 'git', limit: 0 })).toEqual([]);
    expect(index.search({ query: 'git', limit: 0, rank: true })).toEqual([]);
  });

  it('matches very long queries', () => {
    const long = 'x'.repeat(100_000);
    const board = ToolIndex.from([{ name: 'long', tools: [fakeTool('a', `y${long}z`)] }]);
    expect(board.search({ query: long })).toHaveLength(1);
    expect(board.search({ query: `${long}${long}` })).toEqual([]);
  });

  it.each(['.*', 'git_(status)', '[a-z]+', '^git', 'git$', '\\w', '(', '?'])('takes %s as it stands', (query) => {
    expect(index.search({ query })).toEqual([]);
    const board = ToolIndex.from([{ name: 'odd', tools: [fakeTool('a', `Has ${query} in it`)] }]);
    expect(board.search({ query })).toHaveLength(1);
  });

  it.each([-1, Number.NaN, 1.5, -Infinity])('refuses a limit or offset of %s', (value) => {
    for (const field of ['limit', 'offset'] as const) {
      for (const rank of [true, false]) {
        const error = thrownBy(() => index.search({ query: 'git', rank, [field]: value }));
        expect(error).toMatchObject({
          code: 'invalid_arguments',
          field,
          message: `search: ${field} must be a whole number, 0 or more; got ${value}.`,
        });
      }
    }
  });

  it('returns everything for a huge limit, nothing after a huge offset', () => {
    for (const rank of [true, false]) {
      for (const limit of [1e300, Infinity, Number.MAX_SAFE_INTEGER]) {
        expect(many.search({ query: 'status', limit, rank })).toHaveLength(60);
        expect(many.search({ query: 'status', offset: limit, rank })).toEqual([]);
      }
    }
  });

  it('rejects anything but a registry, a board or a list of configs', () => {
    // @ts-expect-error a caller without types
    expect(thrownBy(() => ToolIndex.from(7))).toMatchObject({
      code: 'invalid_arguments',
      message: 'ToolIndex.from takes a registry, a board or a list of configs; got 7.',
    });
  });

  it('refuses a query that is not text', () => {
    // @ts-expect-error a caller without types
    expect(thrownBy(() => index.search({ query: 7 }))).toMatchObject({ code: 'invalid_arguments', field: 'query' });
  });

  it('returns {} for a schema that cannot be converted to JSON Schema', () => {
    const tool = fakeTool('odd', 'Odd');
    Object.defineProperty(tool, 'inputSchema', {
      get: () => {
        throw new Error('no JSON for this');
      },
    });
    const board = ToolIndex.from([{ name: 'odd', tools: [tool] }]);
    expect(board.search()[0]?.inputSchema).toEqual({});
    expect(board.search({ query: 'odd', rank: true })).toHaveLength(1);
  });

  it('searches 50 tools in less than 50 ms', () => {
    const before = process.cpuUsage();
    many.search({ query: 'status' });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(50);
  });
});

function thrownBy(work: () => unknown): ToolError | undefined {
  try {
    work();
  } catch (error) {
    // Any other error fails the comparison.
    return error as ToolError;
  }
  return undefined;
}
