// A board served over MCP, and the official client on the other end: list, call, progress, and a question to the user.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defineTool, ToolRegistry } from '../src/index.ts';
import { McpServer, peerOf, serveHttp } from '../src/mcp.ts';

const board = new ToolRegistry().registerMany([
  defineTool({
    name: 'bake',
    description: 'Bake some loaves of bread.',
    risk: 'write',
    schema: { type: 'object', properties: { loaves: { type: 'integer', minimum: 1 } }, required: ['loaves'] },
    async execute({ loaves }, context) {
      for (let done = 1; done <= loaves; done++) {
        context.progress(done, loaves, `loaf ${done}`);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      return `${loaves} loaves are ready.`;
    },
  }),
  defineTool({
    name: 'order_flour',
    description: 'Order flour. The user says how much.',
    risk: 'write',
    schema: { type: 'object', properties: {} },
    async execute(_input, context) {
      const requestedSchema = { type: 'object', properties: { kilos: { type: 'integer' } }, required: ['kilos'] };
      const question = { message: 'How many kilos of flour?', requestedSchema };
      const answers = await peerOf(context)?.ask({ amount: { method: 'elicitation/create', params: question } });
      return `Ordered: ${JSON.stringify(answers?.['amount']?.['content'])}`;
    },
  }),
]);
const server = await serveHttp(new McpServer({ registry: board }), { port: 0 });

// Uses the stateless revision if the server supports it, as this one does.
const client = new Client(
  { name: 'example', version: '1.0.0' },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
);
client.setRequestHandler('elicitation/create', ({ params }) => {
  console.log(`The user is asked: ${params.message}`);
  return { action: 'accept', content: { kilos: 25 } };
});
// The token created for this server; pass your own as { token } for clients elsewhere.
const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));

const { tools } = await client.listTools();
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`);
const steps: number[] = [];
const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
const baked = await client.callTool({ name: 'bake', arguments: { loaves: 3 } }, { onprogress });
const wrong = await client.callTool({ name: 'bake', arguments: { loaves: 'many' } });
const ordered = await client.callTool({ name: 'order_flour' });
for (const { content } of [baked, wrong, ordered]) console.dir(content, { depth: null });
await client.close();
await server.close();

assert.deepEqual(steps, [1, 2, 3]);
assert.deepEqual(baked.content, [{ type: 'text', text: '3 loaves are ready.' }]);
assert.equal(wrong.isError, true);
assert.deepEqual(ordered.content, [{ type: 'text', text: 'Ordered: {"kilos":25}' }]);
