// A gateway out of the official packages: their server in front, their client behind.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const client = new Client({ name: 'gateway', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.argv[2] ?? ''] }));
const server = new Server({ name: 'gateway', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => client.listTools());
server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit(0));
