import { counted } from '../../../tool/texts/counted.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { openLoginCallback } from './login-callback.ts';
import { parsePort } from '../../command-line/parse-values.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import { useBoard } from '../../board/use-board.ts';

export const mcpLogin = defineCommand({
  name: 'mcp login',
  description:
    'Logs in to an MCP server of the config (OAuth). Prints the address to open in a browser and waits for the redirect. The token is stored in the data folder of the board.',
  arguments: [{ name: 'SERVER', description: 'Its name under mcpServers', required: true, completes: 'servers' }],
  options: {
    ...FILE_OPTION,
    port: {
      type: 'string',
      value: 'PORT',
      description: 'The port on 127.0.0.1 for the redirect (default: any free port)',
    },
  },
  examples: [['pegboard mcp login tracker', 'log in; open the printed address']],
  async run({ values, positionals, context }) {
    const [name = ''] = positionals;
    const login = await openLoginCallback(parsePort(values.port, 'mcp login') ?? 0, context, 'mcp login');
    try {
      return await useBoard(values.file, { context, servers: 'cached', login }, async (board) => {
        const server = board.servers.find((candidate) => candidate.name === name);
        if (server === undefined) {
          const known = board.servers.map((candidate) => candidate.name).join(', ') || 'none';
          throw new UsageError(`There is no server "${name}" under mcpServers. There are: ${known}.`, 'mcp login');
        }
        const fault = await server.connect();
        const tools = board.servers.find((candidate) => candidate.name === name)?.offered ?? 0;
        if (fault !== undefined)
          return { data: { server: name, ok: false, error: fault }, view: [], notes: fault, exitCode: 1 };
        return { data: { server: name, ok: true, tools }, view: `${name} answers, with ${counted(tools, 'tool')}.` };
      });
    } finally {
      login.close();
    }
  },
});
