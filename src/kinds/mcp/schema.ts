import { z } from 'zod';
import { common, environment } from '../common-schema.ts';

/** Another MCP server, in the shape MCP clients use. */
export const mcpServer = z.looseObject({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: environment.optional(),
  url: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** `type: mcp`: one tool of another MCP server. */
export const mcpTool = z.strictObject({
  ...common,
  type: z.literal('mcp'),
  server: z.string().min(1).describe('A name under mcpServers'),
  tool: z.string().min(1).describe('The name of the tool on that server').optional(),
});
