import type { JsonSchema } from '../tool/json.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import type { IndexedConfig } from './index-source.ts';

/** Creates a tool that returns its name. */
export function fakeTool(
  name: string,
  description: string,
  rest: Partial<ToolMetadata> & { readonly schema?: JsonSchema; readonly utterances?: readonly string[] } = {},
): Tool {
  const { schema = { type: 'object', properties: {} }, ...metadata } = rest;
  return defineTool({ name, description, ...metadata, schema, execute: () => `${name} ran` });
}

/** Creates configs of three sources: git, docker and notes. */
export function makeConfigs(): IndexedConfig[] {
  return [
    {
      name: 'git-tools',
      description: 'Git',
      category: 'vcs',
      tags: ['version-control'],
      tools: [
        fakeTool('git_status', 'Show the working tree status'),
        fakeTool('git_commit', 'Record changes to the repository', {
          schema: {
            type: 'object',
            properties: {
              message: { type: 'string', description: 'What was changed' },
              mode: { type: 'string', enum: ['all', 'staged'], default: 'staged' },
            },
            required: ['message'],
          },
        }),
        fakeTool('git_log', 'Show commit history'),
        fakeTool('git_branch', 'List, create or delete branches'),
      ],
    },
    {
      name: 'docker-tools',
      description: 'Docker',
      category: 'containers',
      tools: [
        fakeTool('docker_ps', 'List running instances'),
        fakeTool('docker_run', 'Start a new instance from an image', { risk: 'destructive' }),
        fakeTool('docker_status', 'Tell whether the daemon runs'),
      ],
    },
    { name: 'notes', tools: [fakeTool('find_note', 'Find a note by its title')] },
  ];
}
