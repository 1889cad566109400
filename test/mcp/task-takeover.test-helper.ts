// A server whose tasks are under way when it is killed: node task-takeover.test-helper.ts FOLDER [STORE]. Prints the ids of its tasks.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Board, defineTool, openBoard, type Tool } from '../../src/index.ts';
import { McpServer } from '../../src/mcp.ts';
import { TASKS_EXTENSION } from '../../src/mcp/protocol/mcp-names.ts';
import { resultOf, TestClient } from '../../src/mcp/server/test-client.test-helper.ts';

export const ABLE = { extensions: { [TASKS_EXTENSION]: {} } };
const TOOLS = ['look', 'put', 'pay', 'send', 'queued'] as const;

/** A server with tools that write down that they ran, and then do what `after` says. */
export async function serveTasks(
  folder: string,
  store: string | undefined,
  after: (tool: string) => unknown,
): Promise<{ readonly board: Board; readonly client: TestClient; close(): Promise<void> }> {
  const make = (name: string, given: Partial<Tool['metadata']>): Tool =>
    defineTool({
      name,
      description: `Does ${name}.`,
      schema: { type: 'object', properties: { to: { type: 'string' } } },
      ...given,
      execute(input, context) {
        const key = name === 'pay' ? ` ${context.idempotencyKey}` : '';
        appendFileSync(join(folder, 'effects'), `${name} ${JSON.stringify(input)}${key}\n`);
        return after(name);
      },
    });
  const tools = [
    make('look', { risk: 'read' }),
    make('put', { idempotent: true }),
    make('pay', { idempotent: 'key' }),
    make('send', {}),
    make('queued', { concurrency: 1 }),
  ];
  const board = await openBoard({ tools, data: folder, ...(store === undefined ? {} : { store }) });
  const server = new McpServer(board, { tasks: { always: [...TOOLS] } });
  const close = async (): Promise<void> => {
    await server.close();
    await board.close();
  };
  return { board, client: new TestClient(server), close };
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '', store] = process.argv.slice(2);
  const begun = new Set<string>();
  const all = Promise.withResolvers<void>();
  const { client } = await serveTasks(folder, store, (tool) => {
    if (begun.add(tool).size === TOOLS.length) all.resolve();
    return new Promise(() => {});
  });
  const ids: Record<string, unknown> = {};
  for (const name of [...TOOLS, 'queued']) {
    const args = { to: `${name} ${ids[name] === undefined ? 1 : 2}` };
    const { taskId } = resultOf(await client.modern('tools/call', { name, arguments: args }, ABLE));
    ids[ids[name] === undefined ? name : 'waiting'] = taskId;
  }
  await all.promise;
  process.stdout.write(`${JSON.stringify(ids)}\n`, () => process.kill(process.pid, 'SIGKILL'));
}
