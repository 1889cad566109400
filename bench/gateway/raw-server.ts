// The least a server can be: one tool, lines of JSON in and out, nothing checked.
const TOOL = {
  name: 'echo',
  description: 'Echo a text',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) })}\n`);
  }
});

function answer(
  method: string,
  params: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } } = {},
): Record<string, unknown> {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'raw', version: '1' };
      return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    case 'tools/list':
      return { result: { tools: [TOOL] } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: params.arguments?.text }] } };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}
