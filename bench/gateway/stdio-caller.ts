import { type ChildProcess, spawn } from 'node:child_process';

/** A client that sends one call after the other to a server over stdio, and does nothing else. */
export interface StdioCaller {
  /** Calls the tool and gives the microseconds it took. */
  call(): Promise<number>;
  close(): void;
}

/** Starts a server and introduces itself. */
export async function createStdioCaller(
  args: readonly string[],
  tool: string,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<StdioCaller> {
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  let id = 0;
  let settle: (line: string) => void = () => {};
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk;
    if (!rest.endsWith('\n')) return;
    const line = rest;
    rest = '';
    // A server may also tell of changes meanwhile.
    if (line.includes(`"id":${id}`)) settle(line);
  });
  const ask = (method: string, params: unknown): Promise<string> =>
    new Promise((resolve) => {
      settle = resolve;
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    });
  const clientInfo = { name: 'bench', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return {
    call: async () => {
      const start = performance.now();
      const answer = await ask('tools/call', { name: tool, arguments: { text: 'hello' } });
      const time = (performance.now() - start) * 1000;
      if (!answer.includes('"text":"hello"')) throw new Error(`A wrong answer: ${answer.slice(0, 300)}`);
      return time;
    },
    close: () => void child.stdin?.end(),
  };
}
