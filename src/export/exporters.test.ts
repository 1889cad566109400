// Every exporter, by the contract that `pegboard/testing` gives to those of others.
import { describe } from 'vitest';
import { isPlainObject } from '../tool/json.ts';
import { exporterContract, type ExportedCall, type ExporterSubject } from '../testing/contracts/exporter-contract.ts';
import { testContract } from '../testing/contracts/test-contract.test-helper.ts';
import { toToolSet } from './ai-sdk.ts';
import { toAnthropicTools } from './anthropic.ts';
import { checkGemini } from './check-gemini.test-helper.ts';
import { checkOpenAIStrict } from './check-openai-strict.test-helper.ts';
import { toGeminiTools } from './gemini.ts';
import { toMcpTools } from './mcp.ts';
import { toOpenAITools } from './openai.ts';
import type { CallNames } from './calls.ts';

const USUAL = /^[A-Za-z0-9_-]{1,64}$/;

function runContract<T>(name: string, subject: ExporterSubject<T>): void {
  describe(`${name}, as every exporter`, () => {
    testContract(exporterContract(subject));
  });
}

/** Exporters of plain JSON bring calls back by `restore`. */
async function callRestored<T extends CallNames>({
  exported,
  registry,
  name,
  input,
}: ExportedCall<T>): Promise<unknown> {
  const call = exported.restore(name, input);
  return registry.call(call.name, call.input);
}

for (const strict of [false, true]) {
  const judge = strict ? { judge: ({ schema }: { schema: unknown }) => checkOpenAIStrict(schema) } : {};
  runContract(`toOpenAITools for Chat Completions, strict ${strict}`, {
    export: (board) => toOpenAITools(board, { strict }),
    read: ({ tools }) =>
      tools.map(({ function: { name, description, parameters } }) => ({ name, description, schema: parameters })),
    call: callRestored,
    names: USUAL,
    ...judge,
  });
  runContract(`toOpenAITools for Responses, strict ${strict}`, {
    export: (board) => toOpenAITools(board, { strict, format: 'responses' }),
    read: ({ tools }) => tools.map(({ name, description, parameters }) => ({ name, description, schema: parameters })),
    call: callRestored,
    names: USUAL,
    ...judge,
  });
}

runContract('toAnthropicTools', {
  export: (board) => toAnthropicTools(board),
  read: ({ tools }) => tools.map(({ name, description, input_schema: schema }) => ({ name, description, schema })),
  call: callRestored,
  names: USUAL,
  judge: ({ schema }) => (isPlainObject(schema) && schema['type'] === 'object' ? [] : ['input_schema is no object']),
});

runContract('toGeminiTools', {
  export: (board) => toGeminiTools(board),
  read: ({ tools }) => tools.map(({ name, description, parameters: schema }) => ({ name, description, schema })),
  call: callRestored,
  names: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
  // A function without arguments has no parameters.
  judge: ({ schema }) => (schema === undefined ? [] : checkGemini(schema)),
});

runContract('toMcpTools', {
  export: (board) => toMcpTools(board),
  read: ({ tools }) => tools.map(({ name, description, inputSchema: schema }) => ({ name, description, schema })),
  call: callRestored,
  names: /^[A-Za-z0-9_.-]{1,128}$/,
  judge: ({ schema }) => (isPlainObject(schema) && schema['type'] === 'object' ? [] : ['inputSchema is no object']),
});

runContract('toLangChainTools', {
  export: (board) => board.toLangChainTools(),
  read: (tools) => tools.map(({ name, description, schema }) => ({ name, description, schema })),
  call: async ({ exported, name, input }) => exported.find((tool) => tool.name === name)?.invoke(input),
  names: USUAL,
});

runContract('toToolSet', {
  export: (board) => toToolSet(board.getAll(), board.executor),
  read: (set) =>
    Object.entries(set).map(([name, { description, inputSchema }]) => ({
      name,
      // Ours are texts and JSON Schemas; the SDK's types know more.
      description: description as string | undefined,
      schema: (inputSchema as { jsonSchema?: unknown }).jsonSchema,
    })),
  call: async ({ exported, name, input }) =>
    exported[name]?.execute?.(input, { toolCallId: 'c', messages: [], context: {} } as never),
  names: USUAL,
});
