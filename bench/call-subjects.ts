import { tool as langChainTool } from '@langchain/core/tools';
import { createTool, noopObserve } from '@mastra/core/tools';
import { RunContext, tool as openAITool } from '@openai/agents-core';
import { z } from 'zod';
import { loadBuilt } from './load-built.ts';
import type { Tool, ToolRegistry as Registry } from '../src/index.ts';

const { defineTool, ToolRegistry } = await loadBuilt('index');

/** One set of arguments: as an object and, for those that want it so, as JSON. */
export interface Sample {
  readonly input: { readonly left: number; readonly right: number; readonly unit: string };
  readonly json: string;
}

/** One way to call the same tool. */
export interface CallSubject {
  readonly name: string;
  readonly from: 'plain' | 'pegboard' | 'peer';
  call(sample: Sample): Promise<unknown>;
}

/** Every row is compared to this one. */
export const BASE = 'zod parse + call';

const name = 'add';
const description = 'Adds two lengths.';
const schema = z.object({ left: z.number(), right: z.number(), unit: z.string() });
const jsonSchema = {
  type: 'object',
  properties: { left: { type: 'number' }, right: { type: 'number' }, unit: { type: 'string' } },
  required: ['left', 'right', 'unit'],
};

async function add({ left, right, unit }: Sample['input']): Promise<string> {
  return `${left + right} ${unit}`;
}

/** The same tool, called in every way that is measured. */
export function createCallSubjects(): CallSubject[] {
  return [...createPlainSubjects(), ...createPegboardSubjects(), ...createPeerSubjects()];
}

function createPlainSubjects(): CallSubject[] {
  return [
    { name: 'bare function', from: 'plain', call: ({ input }) => add(input) },
    { name: BASE, from: 'plain', call: async ({ input }) => add(schema.parse(input)) },
  ];
}

function createPegboardSubjects(): CallSubject[] {
  const zodTool = defineTool({ name, description, schema, execute: add });
  const jsonTool = defineTool({ name, description, schema: jsonSchema, execute: add });
  const zodBoard = createBoard(zodTool);
  const jsonBoard = createBoard(jsonTool);
  const hookedBoard = createBoard(zodTool);
  hookedBoard.executor.hooks.before((payload) => payload);
  hookedBoard.executor.hooks.after((payload) => payload);
  return [
    { name: 'Pegboard tool.execute', from: 'pegboard', call: ({ input }) => zodTool.execute(input) },
    { name: 'Pegboard tool.execute, JSON Schema', from: 'pegboard', call: ({ input }) => jsonTool.execute(input) },
    { name: 'Pegboard registry.call', from: 'pegboard', call: ({ input }) => zodBoard.call(name, input) },
    { name: 'Pegboard registry.call, JSON Schema', from: 'pegboard', call: ({ input }) => jsonBoard.call(name, input) },
    {
      name: 'Pegboard registry.call, from JSON',
      from: 'pegboard',
      call: ({ json }) => zodBoard.call(name, JSON.parse(json)),
    },
    { name: 'Pegboard registry.call, two hooks', from: 'pegboard', call: ({ input }) => hookedBoard.call(name, input) },
  ];
}

function createPeerSubjects(): CallSubject[] {
  const langChain = langChainTool(add, { name, description, schema });
  const mastra = createTool({ id: name, description, inputSchema: schema, execute: add });
  const openAI = openAITool({ name, description, parameters: schema, execute: add });
  const mastraContext = { observe: noopObserve };
  const runContext = new RunContext();
  return [
    { name: 'LangChain tool.invoke', from: 'peer', call: ({ input }) => langChain.invoke(input) },
    { name: 'Mastra tool.execute', from: 'peer', call: async ({ input }) => mastra.execute?.(input, mastraContext) },
    {
      name: 'OpenAI Agents tool.invoke, from JSON',
      from: 'peer',
      call: ({ json }) => openAI.invoke(runContext, json),
    },
  ];
}

function createBoard(tool: Tool): Registry {
  return new ToolRegistry().register(tool);
}
