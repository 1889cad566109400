// The least that can answer: JSON in, arguments checked, JSON out. node serve-raw.ts stdio|http COUNT
import { createServer } from 'node:http';

const [, , transport, count = '1'] = process.argv;
const property = (description: string) => ({ type: 'number', description });
const tools = Array.from({ length: Number(count) }, (_, index) => ({
  name: index === 0 ? 'add' : `add_${index}`,
  description: 'Adds two numbers and gives their sum',
  inputSchema: {
    type: 'object',
    properties: { a: property('The first'), b: property('The second') },
    required: ['a', 'b'],
  },
}));

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly a?: unknown; readonly b?: unknown } };
}

function answer(text: string): string | undefined {
  const { id, method, params } = JSON.parse(text) as Message;
  if (id === undefined) return undefined;
  const reply = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    return reply({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1' },
    });
  }
  if (method === 'tools/list') return reply({ tools });
  const { a, b } = params?.arguments ?? {};
  if (typeof a !== 'number' || typeof b !== 'number') return reply({ content: [], isError: true });
  return reply({ content: [{ type: 'text', text: String(a + b) }] });
}

if (transport === 'http') {
  const http = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const text = answer(body) ?? '';
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
  http.listen(0, '127.0.0.1', () => {
    const address = http.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp\n`);
  });
} else {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const out = lines.map(answer).filter((text) => text !== undefined);
    if (out.length > 0) process.stdout.write(`${out.join('\n')}\n`);
  });
}
