// The official server: node serve-official.ts stdio|http|http-hoisted COUNT
// Its documentation makes the schemas where the tools are registered, so for each request; `http-hoisted` makes them once.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const [, , transport, count = '1'] = process.argv;
const createSchema = () => z.object({ a: z.number().describe('The first'), b: z.number().describe('The second') });
const hoisted = transport === 'http-hoisted' ? Array.from({ length: Number(count) }, createSchema) : undefined;

function build(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (let index = 0; index < Number(count); index++) {
    server.registerTool(
      index === 0 ? 'add' : `add_${index}`,
      { description: 'Adds two numbers and gives their sum', inputSchema: hoisted?.[index] ?? createSchema() },
      async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
    );
  }
  return server;
}

if (transport === 'stdio') serveStdio(build);
else {
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  const handle = toNodeHandler(createMcpHandler(build));
  const http = createServer((request, response) => {
    if (!validateHost(request, response) || !validateOrigin(request, response)) return;
    // @ts-expect-error The package's own type of a request does not allow for what Node's may leave out.
    void handle(request, response);
  });
  http.listen(0, '127.0.0.1', () => {
    const address = http.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp\n`);
  });
}
