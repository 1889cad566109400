// Files with code in the place of a config, and the list of agents, as people run them.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { ALONE, CLI } from './cli-program.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-code-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const put = (name: string, content: string): void => writeFileSync(join(folder, name), content);

async function run(args: readonly string[], input = '') {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...ALONE };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env });
  child.stdin.end(input);
  const code = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

const TOOLS = `
const schema = { type: 'object', properties: { room: { type: 'string' } } };
const make = (name: string) => ({ metadata: { name, description: 'Does it', risk: 'read' }, schema, execute: ({ room }: { room: string }) => name + ' ' + room });
export const lamp = make('lamp');
export const all = [lamp, make('bell')];
export const board = { registry: { getAll: () => [make('door')] } };
export const other = 'text';
`;

it('serves the tools that a TypeScript file exports: alone, in lists, registries and boards', async () => {
  put('tools.ts', TOOLS);
  const { stdout } = await run(['list', 'tools.ts']);
  expect(stdout).toBe('lamp\ttools\tread\tDoes it\nbell\ttools\tread\tDoes it\ndoor\ttools\tread\tDoes it\n');
  expect((await run(['call', 'lamp', '--file', 'tools.ts', 'room=hall'])).stdout).toBe('lamp hall\n');
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const start = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const served = await run(['serve', 'tools.ts'], request(1, 'initialize', start) + request(2, 'tools/list', {}));
  const [, listed = ''] = served.stdout.trim().split('\n');
  expect(JSON.parse(listed).result.tools.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['lamp', 'bell', 'door']),
  );
});

it('says where a file throws, and what a file without tools should export', async () => {
  put('bad.ts', 'const luck: number = 0;\n\nthrow new Error("no luck " + luck);\n');
  expect(await run(['serve', 'bad.ts'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`cannot be loaded: no luck 0 (${join(folder, 'bad.ts')}:3:7)\n`),
  });
  put('none.js', 'export const x = 1;\n');
  expect((await run(['list', 'none.js'])).stderr).toContain(
    'exports no tools. Export what createTool() or defineTool() returns, a list of these, a registry or a board.',
  );
});

it('runs no code that a config only imports', async () => {
  put('tools.ts', TOOLS);
  put('importing.yaml', 'import: [tools.ts]\n');
  const { code, stdout } = await run(['list', 'importing.yaml']);
  expect([code, stdout]).toEqual([1, '']);
});

it('lists the agents of a board', async () => {
  put(
    'pegboard.yaml',
    `tools: [{ name: a, type: cli, description: A, command: echo, risk: read }, { name: b, type: cli, description: B, command: echo }]
agents:
  helper: { description: Helps, system: Help., provider: openai, model: gpt-5, prices: { input: 1, output: 2 } }
  reader: { description: Reads, system: Read., tools: [{ risk: read }], agents: [helper] }
`,
  );
  expect((await run(['agents'])).stdout).toBe(
    'helper\topenai/gpt-5\t2 tools\tHelps\nreader\tno model\t1 tool, 1 agent\tReads\n',
  );
  expect(JSON.parse((await run(['agents', '--json'])).stdout)).toMatchObject([
    { name: 'helper', model: 'openai/gpt-5', tools: ['a', 'b'], prices: { input: 1 } },
    { name: 'reader', tools: ['a'], agents: ['helper'] },
  ]);
  put('none.yaml', 'name: none\n');
  expect((await run(['agents', 'none.yaml'])).stderr).toContain('The board has no agents section.');
});
