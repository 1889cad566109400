// Pegboard as it is installed: node serve-ours.ts stdio|http COUNT
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { defineTool, ToolRegistry } = require('../../dist/index.js') as typeof import('../../src/index.ts');
const { McpServer, serveHttp, serveStdio } = require('../../dist/mcp.js') as typeof import('../../src/mcp.ts');

const [, , transport, count = '1'] = process.argv;
const registry = new ToolRegistry();
for (let index = 0; index < Number(count); index++) {
  registry.register(
    defineTool({
      name: index === 0 ? 'add' : `add_${index}`,
      description: 'Adds two numbers and gives their sum',
      schema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'The first' },
          b: { type: 'number', description: 'The second' },
        },
        required: ['a', 'b'],
      },
      execute: ({ a, b }: Record<string, number>) => String((a ?? 0) + (b ?? 0)),
    }),
  );
}
const server = new McpServer({ registry }, { name: 'bench', version: '1.0.0', mode: 'classic' });
if (transport === 'http') {
  const http = await serveHttp(server, { port: 0, token: false });
  process.stdout.write(`${http.url}\n`);
} else {
  await serveStdio(server, { input: process.stdin, output: process.stdout });
  process.exit(0);
}
