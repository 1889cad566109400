// A board to attack, and a run of an agent whose model tries.
import { PassThrough } from 'node:stream';
import { type AgentSpec, defineAgent, type RunOptions, runAgent } from '../../src/agent.ts';
import { type Approve, createDiscoveryTools, defineTool, ToolIndex, ToolRegistry } from '../../src/index.ts';
import { McpServer, serveStdio } from '../../src/mcp.ts';
import { type ScriptedCall, scriptedModel } from '../../src/testing.ts';
import { z } from 'zod';

/** A board with a tool of each risk, the tools for finding others on it, and a list of what really ran. */
export interface Target {
  readonly board: ToolRegistry;
  readonly ran: string[];
}

/** Makes the board; `compat` gives it CLImax's tools for finding others, `guard` a guard of its own. */
export function makeTarget(
  options: ConstructorParameters<typeof ToolRegistry>[0] & { readonly compat?: 'climax' } = {},
): Target {
  const { compat, ...executorOptions } = options;
  const ran: string[] = [];
  const board = new ToolRegistry(executorOptions).registerMany([
    defineTool({
      name: 'look',
      description: 'Look around.',
      risk: 'read',
      schema: z.object({}),
      execute: () => ran.push('look') > 0 && 'a room',
    }),
    defineTool({
      name: 'note',
      description: 'Write a note.',
      risk: 'write',
      schema: z.object({ text: z.string() }),
      execute: ({ text }) => void ran.push(`note ${text}`),
    }),
    defineTool({
      name: 'wipe',
      description: 'Wipe a folder for good.',
      risk: 'destructive',
      aliases: ['erase'],
      schema: z.object({ path: z.string().default('.'), force: z.boolean().default(false) }),
      execute: ({ path }) => void ran.push(`wipe ${path}`),
    }),
  ]);
  board.registerMany(createDiscoveryTools({ registry: board, index: ToolIndex.from(board) }, { compat }));
  return { board, ran };
}

/** The result of an attack. */
export interface Outcome {
  /** The answer to each call. */
  readonly told: string[];
  /** The questions that a person was asked: the tool and its arguments. */
  readonly asked: string[];
  /** The tools that the model was offered at first. */
  readonly offered: readonly string[];
}

/** An approver that keeps what it was asked. */
export function keepAsked(asked: string[], answer: Awaited<ReturnType<Approve>> = true): Approve {
  return ({ tool, input }) => {
    asked.push(`${tool} ${JSON.stringify(input)}`);
    return answer;
  };
}

/** Runs an agent whose model makes these calls, one step each, and is then done. */
export async function attack(
  agent: Partial<AgentSpec>,
  calls: readonly ScriptedCall[],
  { answer = true, ...options }: RunOptions & { readonly answer?: Awaited<ReturnType<Approve>> } = {},
): Promise<Outcome> {
  const asked: string[] = [];
  const model = scriptedModel([...calls.map((call) => ({ calls: [call] })), 'done']);
  const spec = { name: 'attacker', model, ...agent };
  const result = await runAgent(defineAgent(spec), 'go', { approve: keepAsked(asked, answer), ...options });
  const told = result.steps.flatMap((step) => step.calls.map(({ result: { text } }) => text));
  return { told, asked, offered: model.requests[0]?.tools ?? [] };
}

/** An agent that makes these calls when it is given a task, for agents above it. */
export function helperAgent(name: string, agent: Partial<AgentSpec>, calls: readonly ScriptedCall[]) {
  const model = scriptedModel([{ calls }, ({ results }) => results.map(({ text }) => text).join('\n')]);
  return defineAgent({ name, model, concurrency: 1, ...agent });
}

/** Serves a board over stdio, makes one call as a client does, and gives the text of its result. */
export async function callOverMcp(registry: ToolRegistry, name: string, args: object): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const message = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const served = serveStdio(new McpServer({ registry }), { input, output });
  input.write(message(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }));
  input.write(message(1, 'tools/call', { name, arguments: args }));
  const answered = new Promise<string>((resolve) => {
    let got = '';
    output.on('data', (chunk) => {
      const line = (got += String(chunk)).split('\n').find((one) => one.includes('"id":1,') && one.endsWith('}'));
      if (line !== undefined) resolve(line);
    });
  });
  const { result } = JSON.parse(await answered);
  input.end();
  await served;
  return result.content[0].text;
}
