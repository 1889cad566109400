// Runs the contract of `pegboard/testing` for every built-in exporter.
import { describe } from 'vitest';
import { isPlainObject } from '../tool/json.ts';
import {
  type DefinedExporterSubject,
  exporterContract,
  type ExporterSubject,
} from '../testing/contracts/exporter-contract.ts';
import { testContract } from '../testing/contracts/test-contract.test-helper.ts';
import { toToolSet } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { checkGemini } from './check-gemini.test-helper.ts';
import { checkOpenAIStrict } from './check-openai-strict.test-helper.ts';
import { gemini } from './gemini.ts';
import { mcp } from './mcp.ts';
import { openAI } from './openai.ts';
import type { ExportOptions } from './exporter.ts';

const USUAL = /^[A-Za-z0-9_-]{1,64}$/;

function runContract<T, O extends ExportOptions>(
  name: string,
  subject: DefinedExporterSubject<T, O> | ExporterSubject<T>,
): void {
  describe(`${name}, as every exporter`, () => {
    testContract(exporterContract(subject));
  });
}

for (const strict of [false, true]) {
  for (const format of ['chat', 'responses'] as const) {
    runContract(`OpenAI, ${format}, strict ${strict}`, {
      exporter: openAI,
      options: { strict, format },
      readTool: (tool) => {
        const { name, description, parameters: schema } = 'function' in tool ? tool.function : tool;
        return { name, description, schema };
      },
      names: USUAL,
      ...(strict ? { judge: ({ schema }) => checkOpenAIStrict(schema) } : {}),
    });
  }
}

runContract('Anthropic', {
  exporter: anthropic,
  readTool: ({ name, description, input_schema: schema }) => ({ name, description, schema }),
  names: USUAL,
  judge: ({ schema }) => (isPlainObject(schema) && schema['type'] === 'object' ? [] : ['input_schema is no object']),
});

runContract('Gemini', {
  exporter: gemini,
  readTool: ({ name, description, parameters: schema }) => ({ name, description, schema }),
  names: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
  // A function without arguments has no parameters.
  judge: ({ schema }) => (schema === undefined ? [] : checkGemini(schema)),
});

runContract('MCP', {
  exporter: mcp,
  readTool: ({ name, description, inputSchema: schema }) => ({ name, description, schema }),
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
      // These are strings and JSON Schemas; the SDK's types allow more.
      description: description as string | undefined,
      schema: (inputSchema as { jsonSchema?: unknown }).jsonSchema,
    })),
  call: async ({ exported, name, input }) =>
    exported[name]?.execute?.(input, { toolCallId: 'c', messages: [], context: {} } as never),
  names: USUAL,
});
