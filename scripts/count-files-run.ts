// Counts the source files that take part in an action: node scripts/count-files-run.ts [ACTION]
// A file counts if one of its functions ran, by V8's coverage; loading it is not enough. With an action, its files are listed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { defineAgent, runAgent } from '../src/agent.ts';
import { defineTool, openBoard, ToolRegistry } from '../src/index.ts';
import { McpServer, serveStdio } from '../src/mcp.ts';
import { scriptedModel } from '../src/testing.ts';

const SOURCES = new URL('../src/', import.meta.url).href;
const SCHEMA = { type: 'object', properties: { count: { type: 'number' } } } as const;

/** Each prepares its action in a folder and gives the files of one run. All but `pegboard call` ran once before. */
const ACTIONS: Readonly<Record<string, (folder: string) => Promise<string[]>>> = {
  'registry.call': async () => {
    const registry = createRegistry();
    return filesOfSecond(() => registry.call('count', { count: 1 }));
  },
  'pegboard call': async (folder) => {
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      `tools:
  - { name: hello, description: Say something, type: cli, command: echo, risk: read,
      args: [{ name: text, type: string, required: true, positional: true }] }
`,
    );
    const coverage = join(folder, 'coverage');
    const main = join(import.meta.dirname, '../src/cli/main.ts');
    const env = { ...process.env, NODE_V8_COVERAGE: coverage };
    execFileSync(process.execPath, [main, 'call', 'hello', 'text=hi'], { cwd: folder, env });
    // Node writes it in the form of the inspector.
    const read = (name: string) => JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage;
    return filesOf(readdirSync(coverage).flatMap((name) => read(name).result));
  },
  'MCP call with approval': async (folder) => {
    writeFileSync(join(folder, 'server.mjs'), SERVER);
    const server = JSON.stringify({ command: process.execPath, args: [join(folder, 'server.mjs')] });
    const text = `mcpServers: { fleet: ${server} }\npolicy: { approval: { global: write } }\n`;
    writeFileSync(join(folder, 'pegboard.yaml'), text);
    const board = await openBoard(join(folder, 'pegboard.yaml'), { approve: () => true });
    const client = connect(new McpServer(board));
    await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'count', version: '1' },
    });
    const files = await filesOfSecond(() => client.request('tools/call', { name: 'fleet__sink', arguments: {} }));
    await client.close();
    await board.close();
    return files;
  },
  'rag search': async (folder) => {
    const text =
      'tools: [{ name: notes, type: rag, description: Notes, collection: notes, operations: [search, store] }]\n';
    writeFileSync(join(folder, 'pegboard.yaml'), text);
    const board = await openBoard(join(folder, 'pegboard.yaml'));
    await board.call('notes-store', { content: 'The staging server restarts every night.', type: 'convention' });
    const files = await filesOfSecond(() => board.call('notes-search', { query: 'when does the server restart' }));
    await board.close();
    return files;
  },
  'agent with one call': () => {
    const board = createRegistry();
    return filesOfSecond(() => {
      const model = scriptedModel([{ calls: [{ name: 'count', input: { count: 1 } }] }, 'Done.']);
      return runAgent(defineAgent({ name: 'counter', model }), 'Count to one', { board });
    });
  },
};

/** An MCP server with one tool. */
const SERVER = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fleet', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'sink', description: 'Sink a ship.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'sunk' }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method];
  const error = { code: -32601, message: 'Unknown method' };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error }) }));
});`;

type Coverage = Profiler.TakePreciseCoverageReturnType;

function createRegistry(): ToolRegistry {
  const execute = async ({ count = 0 }: { count?: number }): Promise<string> => String(count);
  return new ToolRegistry().register(defineTool({ name: 'count', description: 'Count.', schema: SCHEMA, execute }));
}

/** Serves a board to a client in this process. */
function connect(server: McpServer): {
  request(method: string, params: object): Promise<unknown>;
  close(): Promise<void>;
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(server, { input, output });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: output }).on('line', (line) => waiting.shift()?.(line));
  let id = 0;
  return {
    request: (method, params) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        input.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
      }),
    async close() {
      input.end();
      await served;
    },
  };
}

/** Runs an action twice; the first run loads and compiles. Gives the files of the second. */
async function filesOfSecond(action: () => Promise<unknown>): Promise<string[]> {
  await action();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  await action();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return filesOf(result);
}

function filesOf(scripts: Coverage['result']): string[] {
  // The function at 0 without a name is the module itself.
  const isRun = ({ functionName, ranges }: Profiler.FunctionCoverage): boolean =>
    ranges.slice(0, 1).some(({ startOffset, count }) => count > 0 && (functionName !== '' || startOffset > 0));
  const run = scripts.filter(({ url, functions }) => url.startsWith(SOURCES) && functions.some(isRun));
  return run.map(({ url }) => url.slice(SOURCES.length)).toSorted();
}

const [wanted] = process.argv.slice(2);
const action = wanted === undefined ? undefined : ACTIONS[wanted];
if (wanted !== undefined && action === undefined)
  throw new Error(`Unknown action "${wanted}". Use one of: ${Object.keys(ACTIONS).join(', ')}.`);
if (action !== undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-files-run-'));
  try {
    mkdirSync(join(folder, 'board'));
    process.env['XDG_STATE_HOME'] = join(folder, 'state');
    console.log((await action(join(folder, 'board'))).join('\n'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  // A process each, so that none is warmed up by another.
  for (const name of Object.keys(ACTIONS)) {
    const text = execFileSync(process.execPath, [import.meta.filename, name], { encoding: 'utf8' });
    console.log(`${String(text.trim().split('\n').length).padStart(4)}  ${name}`);
  }
}
