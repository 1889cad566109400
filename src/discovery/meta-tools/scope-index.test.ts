import { expect, it } from 'vitest';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { createDiscoveryTools } from './create-discovery-tools.ts';
import { makeBoard } from './meta-tools.test-helper.ts';
import { scopeIndex } from './discovery-view.ts';

function openScope(): (name: string, args?: object) => Promise<string> {
  const { registry: all, index } = makeBoard();
  index.learn('who broke the build', 'git_log');
  index.learn('who broke the build', 'git_push');
  const registry = new ToolRegistry({ executor: all.executor }).registerMany(
    all.getAll().filter(({ metadata }) => ['git_log', 'git_status'].includes(metadata.name)),
  );
  registry.registerMany(createDiscoveryTools({ registry, index: scopeIndex(index, registry) }));
  return async (name, args = {}) => (await registry.call(name, args)).text;
}

it('finds with the knowledge of the whole index, and nothing else', async () => {
  const call = openScope();
  const found = await call('search_tools', { query: 'who broke the build' });
  expect(found).toContain('git_log');
  expect(found).not.toContain('git_push');
  expect(await call('search_tools', { detail: 'names', limit: 9, category: 'vcs' })).not.toContain('git_push');
});

it.each([
  ['search_tools', {}],
  ['search_tools', { query: 'containers that run' }],
  ['search_tools', { query: 'zzzz' }],
  ['search_tools', { source: 'dokcer' }],
  ['search_tools', { category: 'containers' }],
  ['call_tool', { name: 'docker_pss', arguments: {} }],
  ['call_tool', { name: 'docker_ps', arguments: {} }],
  ['describe_tool', { name: 'docker_ps' }],
])('does not let %s %j tell of other tools', async (name, args) => {
  const text = await openScope()(name, args);
  // The answer may repeat the arguments.
  const asked = Object.values(args).filter((value) => typeof value === 'string');
  expect(asked.reduce((rest, word) => rest.replaceAll(word, ''), text)).not.toMatch(/docker|container|mail|push/i);
});

it('counts its own tools', async () => {
  expect(await openScope()('search_tools')).toMatch(/^2 tools from 1 source:/);
});
