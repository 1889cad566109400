import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';
import type { ToolCall } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { CallNames } from './calls.ts';
import { defineExporter } from './define-exporter.ts';
import type { ExportOptions, ExportResult, ResultOptions, ToolSource } from './exporter.ts';
import { resultText } from './result-blocks.ts';

/** A function declaration in the Gemini API. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Omitted for a tool without arguments. */
  readonly parameters?: JsonSchema;
}

/** The answers to all calls of one turn, as the next content. */
export interface GeminiToolMessage {
  readonly role: 'user';
  readonly parts: readonly {
    readonly functionResponse: {
      readonly id?: string;
      readonly name: string;
      readonly response: { readonly output: string } | { readonly error: string };
    };
  }[];
}

const SIZES = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
const MADE_UP_ID = /^call_\d+$/;

/** Gemini's function declarations. */
export const gemini = defineExporter({
  format: 'gemini',
  provider: 'Gemini',
  names: { character: /[A-Za-z0-9_.-]/, first: /[A-Za-z_]/, maxLength: 64 },
  schema: {
    accepts: 'subset',
    keywords: [...SIZES, 'pattern', 'minimum', 'maximum'],
    formats: ['string:date-time', 'number:float', 'number:double', 'integer:int32', 'integer:int64'],
    nulls: 'flag',
    emptyObjects: false,
    textEnums: true,
    keys: { character: /[A-Za-z0-9_]/, first: /[A-Za-z_]/, maxLength: 64 },
  },
  writeTool: ({ name, description, schema }): GeminiFunctionDeclaration => {
    const hasArguments = Object.keys(nodeMap(schema['properties'])).length > 0;
    return { name, description, ...(hasArguments ? { parameters: schema } : {}) };
  },
  findCalls: (response) =>
    findParts(response).flatMap((part) => {
      const called = isPlainObject(part) ? part['functionCall'] : undefined;
      return isPlainObject(called) ? [{ id: called['id'], name: called['name'], args: called['args'] }] : [];
    }),
  writeResults: (answers): GeminiToolMessage => ({
    role: 'user',
    parts: answers.map(({ id, providerName, result }) => ({
      functionResponse: {
        // A generated id would match no call of Gemini's.
        ...(MADE_UP_ID.test(id) ? {} : { id }),
        name: providerName,
        response: result.ok ? { output: resultText(result) } : { error: resultText(result) },
      },
    })),
  }),
});

/**
 * Converts tools to Gemini function declarations (`tools: [{ functionDeclarations }]`). Also returns the name table and a report.
 * @example
 * const { tools: functionDeclarations, names } = toGeminiTools(registry);
 * const request = { tools: [{ functionDeclarations }] };
 */
export function toGeminiTools(tools: ToolSource, options?: ExportOptions): ExportResult<GeminiFunctionDeclaration> {
  return gemini.export(tools, options);
}

/**
 * Reads the `functionCall` parts of a response, a candidate, a content or a list of parts. Calls without an id get `call_0`,
 * `call_1`, …. Pass the result of `toGeminiTools` to map names and arguments back. Never throws; returns `[]` for anything else.
 */
export function parseGeminiCalls(response: unknown, exported?: CallNames): ToolCall[] {
  return gemini.parseCalls(response, exported);
}

/**
 * Creates one content with a `functionResponse` for each call, in call order. Pass the result of `toGeminiTools`: answers carry
 * Gemini's names.
 */
export function toGeminiToolMessage(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
  exported?: ResultOptions['exported'],
): GeminiToolMessage {
  return gemini.toResults(calls, results, { exported });
}

function findParts(response: unknown): unknown[] {
  if (Array.isArray(response)) return response;
  if (!isPlainObject(response)) return [];
  if (Array.isArray(response['candidates'])) return findParts(response['candidates'][0]);
  if (isPlainObject(response['content'])) return findParts(response['content']);
  return Array.isArray(response['parts']) ? response['parts'] : [];
}
