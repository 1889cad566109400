// fastmcp, as its documentation has it: node serve-fastmcp.ts stdio|http COUNT
import { createServer } from 'node:net';
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const [, , transport, count = '1'] = process.argv;
const server = new FastMCP({ name: 'bench', version: '1.0.0' });
for (let index = 0; index < Number(count); index++) {
  server.addTool({
    name: index === 0 ? 'add' : `add_${index}`,
    description: 'Adds two numbers and gives their sum',
    parameters: z.object({ a: z.number().describe('The first'), b: z.number().describe('The second') }),
    execute: async ({ a, b }: { a: number; b: number }) => String(a + b),
  });
}
if (transport === 'stdio') await server.start({ transportType: 'stdio' });
else {
  const port = await freePort();
  await server.start({
    transportType: 'httpStream',
    httpStream: { host: '127.0.0.1', port, stateless: true, enableJsonResponse: true },
  });
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
