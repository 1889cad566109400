// `pegboard inspect` and `pegboard serve --inspect` as real processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, expect, it } from 'vitest';
import { answerApproval, findLink, headersFor, waitForApproval } from './answer-approval.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-inspect-'));
writeFileSync(
  join(folder, 'pegboard.yaml'),
  `name: shop
tools:
  - { name: stock, type: cli, description: Count the stock, command: [echo, "3"], risk: read }
  - { name: order, type: cli, description: Order flour, command: [echo, ordered], risk: write }
policy: { approval: { global: write } }
`,
);
let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  readonly link: URL;
  /** All that was printed so far. */
  readonly printed: () => { readonly stdout: string; readonly stderr: string };
  /** Ends it and gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a command and waits until it has printed a link. */
async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const started = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...env },
  });
  child = started;
  let [stdout, stderr] = ['', ''];
  const link = await new Promise<URL>((resolve, reject) => {
    const look = (): void => {
      const found = findLink(stdout + stderr);
      // The key comes in one piece with the end of its line, or the closing quote of JSON.
      if (found !== undefined && /#token=[\w-]+["\n]/.test(stdout + stderr)) resolve(found);
    };
    started.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      look();
    });
    started.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      look();
    });
    started.on('close', () => reject(new Error(`It ended without a link: ${stderr}`)));
  });
  return {
    link,
    printed: () => ({ stdout, stderr }),
    end: async (signal) => {
      started.kill(signal);
      const [code] = (await once(started, 'close')) as [number | null];
      return code;
    },
  };
}

it('prints the link and nothing else on stdout, and ends cleanly', async () => {
  const { link, printed, end } = await start(['inspect']);
  expect(printed()).toEqual({
    stdout: `${link.href}\n`,
    stderr: '2 tools. Open this link (keep it private, it gives access). Press Ctrl-C to stop.\n',
  });
  const board = await fetch(new URL('/api/board', link), { headers: headersFor(link) });
  expect(await board.json()).toMatchObject({ name: 'shop', toolCount: 2, hasApprovals: true });
  expect(await end('SIGINT')).toBe(130);
  const again = await start(['inspect', '--json', '--port', link.port]);
  expect(JSON.parse(again.printed().stdout)).toEqual({ url: again.link.href });
  expect([again.link.port, again.link.hash === link.hash]).toEqual([link.port, false]);
  expect(await again.end('SIGTERM')).toBe(0);
});

it('asks on the page about calls that are made on it, under the policy', async () => {
  const { link } = await start(['inspect', join(folder, 'pegboard.yaml')]);
  const headers = { ...headersFor(link), 'content-type': 'application/json' };
  const call = fetch(new URL('/api/tools/order/call', link), { method: 'POST', headers, body: '{}' });
  const { id, caller } = await waitForApproval(link);
  expect(caller).toBe('inspector');
  await answerApproval(link, id, { decision: 'allow' });
  expect(await (await call).json()).toMatchObject({ ok: true, text: 'ordered\n' });
});

it('opens the browser when it is told to', async () => {
  const browser = join(folder, 'browser.sh');
  const opened = join(folder, 'opened.txt');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`);
  chmodSync(browser, 0o755);
  const seen = new Promise<void>((resolve) => {
    const watcher = watch(folder, (_, name) => {
      if (name !== 'opened.txt') return;
      watcher.close();
      resolve();
    });
  });
  const { link } = await start(['inspect', '--open'], { BROWSER: browser });
  await seen;
  expect(readFileSync(opened, 'utf8')).toBe(link.href);
});

it('answers for the clients of a served board', async () => {
  const { link, printed, end } = await start(['serve', '--http', '--no-token', '--port', '0', '--json', '--inspect']);
  // The link comes first; the address of the board follows on stdout.
  while (!printed().stdout.endsWith('}\n')) await once(child?.stdout ?? process.stdin, 'data');
  const client = new Client({ name: 'story', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(JSON.parse(printed().stdout).url)));
  const call = client.callTool({ name: 'order', arguments: {} });
  const { id, caller, tool } = await waitForApproval(link);
  expect([tool, caller]).toEqual(['order', 'MCP client']);
  await answerApproval(link, id, { decision: 'deny', reason: 'There is enough.' });
  const { isError, content } = await call;
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('There is enough.')]);
  const calls = await fetch(new URL('/api/calls', link), { headers: headersFor(link) });
  // The calls of the processes before are there too, below the newest.
  const { calls: listed } = (await calls.json()) as { readonly calls: readonly unknown[] };
  expect(listed[0]).toMatchObject({
    tool: 'order',
    caller: 'MCP client',
    outcome: { error: { code: 'permission_denied' } },
  });
  await client.close();
  expect(await end('SIGTERM')).toBe(0);
});

it('says that a board served over stdio has no page', async () => {
  const started = spawn(process.execPath, [CLI, 'serve', '--inspect'], { cwd: folder });
  child = started;
  let stderr = '';
  started.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = await once(started, 'close');
  expect([code, stderr]).toEqual([
    2,
    'error --inspect needs --http, or serve.http: true in the board file.\nRun "pegboard serve --help".\n',
  ]);
});
