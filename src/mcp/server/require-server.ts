import { ToolError } from '../../tool/tool-error.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { McpServer } from './mcp-server.ts';

/** Throws when what is to be served is no `McpServer`, and says what to pass: `requireServer(server, 'serveHttp')`. */
export function requireServer(given: unknown, caller: string): void {
  if (given instanceof McpServer) return;
  const name = given instanceof ToolRegistry ? 'registry' : 'board';
  const message = `${caller} needs an McpServer. Make one of your ${name} first: ${caller}(new McpServer(${name})${caller === 'serveStdio' ? ', { input, output }' : ''}).`;
  throw new ToolError({ code: 'invalid_arguments', message });
}
