import type { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import type { ServerToolPlace } from '../kind.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import type { mcpKeys } from './schema.ts';

/** `type: mcp`: one tool of another MCP server, under its own name. */
export const mcp = defineKind({
  type: 'mcp',
  schema: KIND_SCHEMAS.mcp,
  isSound: true,
  optional: ['description'],
  read: (keys, { written }): ServerToolPlace => {
    // Validated by its schema just before.
    const { server, tool = String(written['name']) } = keys as z.input<typeof mcpKeys>;
    return { server, tool, given: { description: 'description' in written, risk: 'risk' in written } };
  },
  uses: ({ settings }) => [{ type: 'server', name: settings.server, path: ['server'] }],
  isLive: true,
  tools: (entry, host) => host.serverTool(entry, entry.settings),
  describe: ({ settings }) => [['server', `${settings.server}, tool ${settings.tool}`]],
});
