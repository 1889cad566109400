import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { ExecutorOptions } from '../../pipeline/executor-options.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { fakeTool } from '../boards.test-helper.ts';
import { ToolIndex } from '../tool-index.ts';
import { createDiscoveryTools } from './create-discovery-tools.ts';

/** `git_log`, which returns its arguments. */
const gitLog: Tool = defineTool({
  name: 'git_log',
  description: 'Shows the commit history.',
  source: 'git',
  category: 'vcs',
  tags: ['history'],
  risk: 'read',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file to look at' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
    required: ['path'],
    additionalProperties: false,
  },
  execute: (input) => input,
});

/** Creates a board with tools of three sources and the discovery tools. */
export function makeBoard(
  options: ExecutorOptions = {},
  more: readonly Tool[] = [],
): { readonly registry: ToolRegistry; readonly index: ToolIndex } {
  const registry = new ToolRegistry(options).registerMany([
    gitLog,
    fakeTool('git_status', 'Shows which files changed.', { source: 'git', category: 'vcs', tags: ['history'] }),
    fakeTool('git_push', 'Uploads commits to a remote.', { source: 'git', category: 'vcs', risk: 'destructive' }),
    fakeTool('docker_ps', 'Lists running containers.', {
      source: 'docker',
      category: 'containers',
      kind: 'cli',
      risk: 'read',
    }),
    fakeTool('send.mail', 'Sends an email to a person.', { source: 'mail', risk: 'write' }),
    ...more,
  ]);
  const index = ToolIndex.from(registry);
  registry.registerMany(createDiscoveryTools({ registry, index }));
  return { registry, index };
}
