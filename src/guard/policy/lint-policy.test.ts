import { describe, expect, it } from 'vitest';
import { makeTool } from './make-tool.test-helper.ts';
import { createPolicy } from './policy.ts';
import { NO_PATHS } from './tool-paths.ts';

const search = makeTool(
  'search',
  { tags: ['net'] },
  {
    query: { type: 'string' },
    filter: { type: 'object', properties: { path: { type: 'string' } } },
    list: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
    free: { type: 'object' },
    'dotted.name': { type: 'string' },
  },
);
const tools = [search, makeTool('store')];

function lint(section: Parameters<typeof createPolicy>[0]): string[] {
  return createPolicy(section, { base: import.meta.dirname, pathsOf: () => NO_PATHS })
    .lint(tools)
    .map(({ severity, path, message }) => `${severity} ${path.join('/')}: ${message}`);
}

describe('lint', () => {
  it('reports nothing about a valid policy', () => {
    expect(
      lint({
        default: 'disabled',
        allow: ['s*', { tag: 'net' }],
        deny: ['store'],
        roots: ['.', '..'],
        approval: { tools: { search: true } },
        tools: {
          search: {
            args: {
              query: { pattern: '^[a-z]+$', min: 1, max: 2 },
              'filter.path': {},
              'list.id': {},
              'free.anything': {},
              'dotted.name': {},
            },
          },
        },
      }),
    ).toEqual([]);
  });

  it('names missing tools, with suggestions', () => {
    expect(lint({ tools: { serch: {} }, approval: { tools: { zzz: true } }, deny: ['stor'], allow: ['x*'] })).toEqual([
      'warning allow/0: no tool matches "x*".',
      'warning deny/0: there is no tool "stor". Did you mean "store"?',
      'warning tools/serch: there is no tool "serch". Did you mean "search"?',
      'warning approval/tools/zzz: there is no tool "zzz".',
    ]);
  });

  it('names arguments that a tool does not have', () => {
    const args = { qurey: {}, 'filter.pth': {}, 'list.uuid': {}, 'query.x': {} };
    expect(lint({ tools: { search: { args }, store: { args: { x: {} } } } })).toEqual([
      'warning tools/search/args/qurey: the tool "search" has no argument "qurey". Did you mean "query"?',
      'warning tools/search/args/filter.pth: the tool "search" has no argument "pth". Did you mean "path"?',
      'warning tools/search/args/list.uuid: the tool "search" has no argument "uuid". Did you mean "id"?',
      'warning tools/store/args/x: the tool "store" has no argument "x".',
    ]);
  });

  it('finds limits that no value can meet', () => {
    expect(lint({ tools: { search: { args: { query: { pattern: '(a)\\1', min: 3, max: 2 } } } } })).toEqual([
      'error tools/search/args/query/pattern: must be a regular expression (the backreference "\\1" cannot be used: patterns run in linear time); got "(a)\\\\1".',
      'warning tools/search/args/query/min: is above max (3 > 2): no value passes.',
    ]);
  });

  it('finds rules without effect', () => {
    expect(
      lint({
        default: 'enabled',
        allow: ['search'],
        deny: [{ risk: 'dangerous' }, { tag: 'db' }],
        roots: ['missing'],
      }),
    ).toEqual([
      'error deny/0/risk: must be one of read, write, destructive; got "dangerous".',
      'warning deny/1: no tool matches tag "db".',
      'warning allow: has no effect, since every tool is enabled. Write "default: disabled" to allow only these.',
      'warning roots/0: there is no folder "missing".',
    ]);
  });

  it('handles 10,000 tools and as many wrong names', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => makeTool(`tool_number_${index}`));
    const wrong = Array.from({ length: 10_000 }, (_, index) => `tool_nmber_${index}`);
    const policy = createPolicy({ deny: wrong, tools: Object.fromEntries(wrong.map((name) => [name, {}])) });
    const faults = policy.lint(many);
    expect(faults).toHaveLength(20_000);
    expect(faults.filter(({ message }) => message.includes('Did you mean'))).toHaveLength(20);
    expect(many.every((tool) => policy.allows(tool).ok)).toBe(true);
  });
});
