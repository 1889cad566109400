import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import { McpServer } from '../mcp-server.ts';
import { serveStdio } from './serve-stdio.ts';

const none = { type: 'object', properties: {} } as const;

function start(registry = new ToolRegistry()) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done = serveStdio(new McpServer({ registry }), { input, output });
  let text = '';
  const lines: Record<string, unknown>[] = [];
  const waiting: (() => void)[] = [];
  output.on('data', (chunk) => {
    const parts = (text + String(chunk)).split('\n');
    text = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part)));
    for (const wake of waiting.splice(0)) wake();
  });
  const take = async (count: number): Promise<Record<string, unknown>[]> => {
    while (lines.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return lines.splice(0, count);
  };
  return { input, done, take };
}

const request = (id: unknown, method: string, params?: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const INITIALIZE = request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });

it('answers a frame of 12 MiB with an error, and the next one as ever', async () => {
  const { input, take } = start();
  input.write(INITIALIZE);
  input.write(request(1, 'tools/call', { name: 'x', arguments: { fill: 'x'.repeat(12 * 1024 * 1024) } }));
  input.write(request(2, 'ping'));
  expect(await take(3)).toMatchObject([
    { id: 0 },
    { id: 1, error: { code: -32600, message: expect.stringContaining('8388608 is the most') } },
    { id: 2, result: {} },
  ]);
});

it('lives through every content of a line', async () => {
  const { input, take } = start();
  const lines = [
    'nonsense',
    '[]',
    '{}',
    '"x"',
    '['.repeat(50_000),
    '{"jsonrpc":"2.0","id":1e999,"method":"x"}',
    '\u0000',
  ];
  input.write(`${lines.join('\n')}\n\n\r\n${request('last', 'ping')}`);
  const answers = await take(lines.length + 1);
  expect(answers.slice(0, -1).every((answer) => 'error' in answer && !('id' in answer))).toBe(true);
  expect(answers.at(-1)).toEqual({ jsonrpc: '2.0', id: 'last', result: {} });
});

it('answers ten thousand requests that are under way at once', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let running = 0;
  const registry = new ToolRegistry().register(
    defineTool({
      name: 'together',
      description: 'Answers when all are here',
      schema: none,
      execute: () => {
        if (++running === 10_000) resolve('All here.');
        return promise;
      },
    }),
  );
  const { input, take } = start(registry);
  input.write(INITIALIZE);
  for (let id = 1; id <= 10_000; id++) input.write(request(id, 'tools/call', { name: 'together' }));
  const answers = await take(10_001);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(10_001);
  expect(answers.at(-1)).toMatchObject({ result: { content: [{ text: 'All here.' }] } });
});

it('ends with its input, and ends what it runs', async () => {
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<string>();
  const registry = new ToolRegistry().register(
    defineTool({
      name: 'hang',
      description: 'Hangs',
      schema: none,
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => (stop('stopped'), reject(new Error('Stopped.'))));
          begin();
        }),
    }),
  );
  const { input, done } = start(registry);
  input.write(INITIALIZE + request(1, 'tools/call', { name: 'hang' }));
  await started;
  input.end();
  await done;
  expect(await stopped).toBe('stopped');
});

it('serves a registry over the streams of its process, which ends with its input', async () => {
  const from = (path: string): string => JSON.stringify(import.meta.resolve(path));
  const script = `
    import { ToolRegistry } from ${from('../../../index.ts')};
    import { serveStdio } from ${from('../../../mcp.ts')};
    const over = new AbortController();
    process.once('SIGTERM', () => over.abort());
    await serveStdio(new ToolRegistry(), { signal: over.signal });
    console.error('over');`;
  for (const end of ['input', 'signal']) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
    let [printed, errors] = ['', ''];
    child.stderr.on('data', (chunk) => (errors += String(chunk)));
    child.stdin.write(INITIALIZE);
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk) => {
        printed += String(chunk);
        if (printed.endsWith('\n')) resolve();
      }),
    );
    if (end === 'input') child.stdin.end();
    else child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, errors]).toEqual([0, 'over\n']);
    expect(JSON.parse(printed)).toMatchObject({ id: 0, result: { serverInfo: { name: 'pegboard' } } });
  }
});
