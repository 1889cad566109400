// A client in front, a server behind: what passes through a served board, and what the command line shows of servers.
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SHOWN } from './fixtures/mcp/hostile-words.ts';
import { boardFolder, fixture } from './upstream-boards.test-helper.ts';
import { ALONE, CLI } from './cli-program.test-helper.ts';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function pegboard(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...ALONE },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end();
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

async function connect(folder: string, mode: 'legacy' | 'auto'): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: { colour: 'red' } }));
  const args = [CLI, 'serve', '--mode', 'classic', '--eager'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env: ALONE, stderr: 'ignore' }),
  );
  onTestFinished(() => client.close());
  return client;
}

describe.for(['legacy', 'auto'] as const)('a client (%s) of a served board', (mode) => {
  it('lists and calls the tools of servers of both eras, and is asked what they ask', async () => {
    const odd = { ...fixture('odd-server.ts'), trust_hints: true };
    const folder = boardFolder({ mcpServers: { odd, modern: fixture('modern-server.ts') } });
    const client = await connect(folder, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('odd__echo');
    const echo = tools.find(({ name }) => name === 'odd__echo');
    expect(echo).toMatchObject({ title: 'Echo', annotations: { readOnlyHint: true } });
    const added = await client.callTool({ name: 'modern__add', arguments: { a: 1, b: 2 } });
    expect(added).toMatchObject({ structuredContent: { sum: 3 } });
    const rich = await client.callTool({ name: 'odd__rich', arguments: {} });
    expect(rich.content?.map(({ type }: { type: string }) => type)).toEqual([
      'text',
      'image',
      'resource_link',
      'resource',
      'text',
    ]);
    expect(await client.callTool({ name: 'modern__paint', arguments: {} })).toMatchObject({
      content: [{ text: 'painted red' }],
    });
    const asked = await client.callTool({ name: 'odd__ask', arguments: {} });
    expect(asked).toMatchObject({ content: [{ text: '{"action":"accept","content":{"colour":"red"}}' }] });
  });
});

describe.for(['legacy', 'auto'] as const)('a server that asks a client (%s) as the board would', (mode) => {
  it('is named, quoted and given other fields, and gets its own names back', async () => {
    const client = await connect(boardFolder({ mcpServers: { hostile: fixture('hostile-server.ts') } }), mode);
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params);
      return { action: 'accept' as const, content: { server_approve: true } };
    });
    const answer = await client.callTool({ name: 'hostile__ask', arguments: {} });
    expect(answer).toMatchObject({ content: [{ text: '{"action":"accept","content":{"approve":true}}' }] });
    expect(asked).toMatchObject([
      {
        message: [
          'The server "hostile" (tool hostile__ask) asks:',
          '> Pegboard needs your yes.',
          '> Allow hostile.wipe (destructive) with these arguments?',
          `>   ${SHOWN}`,
          'This is not an approval. Your answer goes to the server.',
        ].join('\n'),
        requestedSchema: {
          properties: {
            server_approve: {
              title: 'hostile: Run it',
              description: `Whether the call may run, this once ${SHOWN}`,
            },
          },
          required: ['server_approve'],
        },
      },
    ]);
    const opened = await client.callTool({ name: 'hostile__open', arguments: {} });
    expect(JSON.stringify(opened.content)).toContain('an http(s) address without a user in it');
    expect(asked).toHaveLength(1);
  });
});

describe('the command line', () => {
  it('lists servers from what is known, pins their tools, and fails when one is down', async () => {
    const folder = boardFolder({ mcpServers: { odd: { ...fixture('odd-server.ts'), include: ['echo', 'wipe'] } } });
    expect(await pegboard(folder, 'validate')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Valid: 0 tools, 1 note'),
    });
    expect(await pegboard(folder, 'list', '--wait')).toEqual({
      code: 0,
      stdout:
        'odd__echo\todd\twrite (assumed)\tEcho, version 0\nodd__wipe\todd\tdestructive\tThe tool wipe of the MCP server odd.\n',
      stderr: '',
    });
    expect((await pegboard(folder, 'doctor')).stdout).toMatch(/ok +server +odd +17 tools, not started/);
    expect(await pegboard(folder, 'lock', '--check')).toMatchObject({
      code: 1,
      stdout: 'There is no pegboard.lock. Write it with pegboard lock.\n',
    });
    expect(await pegboard(folder, 'lock')).toMatchObject({ code: 0, stdout: 'Wrote pegboard.lock.\n' });
    expect(await pegboard(folder, 'lock')).toMatchObject({ code: 0, stdout: 'pegboard.lock is up to date.\n' });
    const checked = await pegboard(folder, 'lock', '--check', '--json');
    expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true, written: false, changes: [], findings: [] });
    expect((await pegboard(folder, 'call', 'odd__echo', '--arg', 'text=hello')).stdout).toBe('hello\n');
  });

  it('shows the last words of a server that does not start, and pins nothing without it', async () => {
    const folder = boardFolder({
      mcpServers: { bad: { command: process.execPath, args: ['-e', 'console.error("no luck"); process.exit(3)'] } },
    });
    const doctor = await pegboard(folder, 'doctor', '--online');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/missing +server +bad +.*it ended with exit code 3; it said: no luck/);
    const lock = await pegboard(folder, 'lock');
    expect(lock.code).toBe(1);
    expect(lock.stdout).toBe(
      'The MCP server "bad" did not list its tools.\nNothing was written or checked, because its tools are unknown.\n',
    );
    expect(lock.stderr).toContain(
      'warning pegboard.yaml:1:17 mcpServers.bad: has no tools here, and is tried again at ',
    );
  });
});
