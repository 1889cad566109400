// A board that `pegboard serve --http` serves to two callers: one attacks, the other wants its small calls answered.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { hashToken } from '../../src/mcp/server/auth/token-authenticator.ts';
import { placeBoard, startServe, waitForText } from '../mcp/serve-process.test-helper.ts';

const TOKENS = { mallory: 'mallory-0123456789abcdef', ada: 'ada-0123456789abcdef0123' } as const;

/** The sender of a request. */
export type Who = keyof typeof TOKENS;

/** A board that is being served. */
export interface ServedBoard {
  readonly url: string;
  readonly folder: string;
  readonly child: ChildProcess;
  /** The header that lets a caller in. */
  header(who: Who): { readonly authorization: string };
  /** Calls a tool over plain HTTP. */
  call(who: Who, tool: string, args?: object): Promise<{ status: number; body: string }>;
  /** Calls a tool so often, one call after the other, and gives the milliseconds of the median. Each must succeed. */
  median(who: Who, tool: string, times?: number): Promise<number>;
  close(): Promise<void>;
}

/** Serves a board. `yaml` has its tools and what else it needs; the tokens are added. */
export async function serveTwoCallers(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<ServedBoard> {
  const tokens = Object.entries(TOKENS).map(([name, token]) => `    - { name: ${name}, hash: '${hashToken(token)}' }`);
  const placed = placeBoard(`${yaml}\nserve:\n  tokens:\n${tokens.join('\n')}\n`);
  const { folder, file } = placed;
  const child = startServe(['--http', '--port', '0', '-f', file], { cwd: folder, env: { ...process.env, ...env } });
  child.stdout?.resume();
  const said = await waitForText(child.stderr, /http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
  const header = (who: Who): { readonly authorization: string } => ({ authorization: `Bearer ${TOKENS[who]}` });
  const call: ServedBoard['call'] = async (who, tool, args = {}) => {
    const headers = { ...header(who), 'content-type': 'application/json' };
    const body = JSON.stringify(args);
    const response = await fetch(`${url}/tools/${tool}`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.text() };
  };
  return {
    url,
    folder,
    child,
    header,
    call,
    async median(who, tool, times = 15) {
      const took: number[] = [];
      for (let count = 0; count < times; count++) {
        const start = performance.now();
        const { status, body } = await call(who, tool);
        if (status >= 300) throw new Error(`${status} ${body}`);
        took.push(performance.now() - start);
      }
      return took.toSorted((one, other) => one - other)[times >> 1] ?? 0;
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      placed.remove();
    },
  };
}
