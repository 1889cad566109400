import { type CallNames, pairResults, readCalls } from './calls.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportTools,
  type PreparedTool,
  type ToolSource,
} from './export-tools.ts';
import { resultText } from './result-blocks.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import { rewriteSchema } from './rewrite/rewrite-schema.ts';
import type { SubsetRules } from './rewrite/subset/subset-context.ts';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** A function declaration as the Gemini API takes it. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Left out for a tool without arguments. */
  readonly parameters?: JsonSchema;
}

const SIZES = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
const FORMATS = ['string:date-time', 'number:float', 'number:double', 'integer:int32', 'integer:int64'];

const RULES: SubsetRules = {
  provider: 'Gemini',
  refs: 'inline',
  nulls: 'flag',
  allRequired: false,
  emptyObjects: false,
  textEnums: true,
  keywords: new Set([...SIZES, 'pattern', 'minimum', 'maximum']),
  formats: new Set(FORMATS),
  keys: { character: /[A-Za-z0-9_]/, first: /[A-Za-z_]/, maxLength: 64 },
};

/** Tools as Gemini function declarations (`tools: [{ functionDeclarations }]`), the name table and a report. */
export function toGeminiTools(tools: ToolSource, options: ExportOptions = {}): ExportResult<GeminiFunctionDeclaration> {
  return exportTools(
    tools,
    {
      provider: 'Gemini',
      names: { character: /[A-Za-z0-9_.-]/, first: /[A-Za-z_]/, maxLength: 64 },
      rewrite: (schema: unknown, report: ReportChange) => rewriteSchema(schema, { kind: 'closed', ...RULES }, report),
      build: ({ name, description, rewritten }: PreparedTool): GeminiFunctionDeclaration => {
        const { schema } = rewritten;
        return {
          name,
          description,
          ...(Object.keys(nodeMap(schema['properties'])).length > 0 ? { parameters: schema } : {}),
        };
      },
    },
    options,
  );
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

const MADE_UP_ID = /^call_\d+$/;

/**
 * Reads the `functionCall` parts of a response, a candidate, a content or a list of parts. Calls without an id get
 * `call_0`, `call_1`, …. Pass what `toGeminiTools` gave to get names and arguments mapped back. Never throws; gives `[]`
 * for anything else.
 */
export function parseGeminiCalls(response: unknown, exported?: CallNames): ToolCall[] {
  const calls = findParts(response).flatMap((part) => {
    const called = isPlainObject(part) ? part['functionCall'] : undefined;
    return isPlainObject(called) ? [{ id: called['id'], name: called['name'], args: called['args'] }] : [];
  });
  return readCalls(calls, exported);
}

/** One content with a `functionResponse` per call, in call order. Pass what `toGeminiTools` gave: answers carry Gemini's names. */
export function toGeminiToolMessage(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
  exported?: Pick<ExportResult<unknown>, 'names'>,
): GeminiToolMessage {
  return {
    role: 'user',
    parts: pairResults(calls, results).map(([call, result]) => ({
      functionResponse: {
        // An id of our own making would match no call of Gemini's.
        ...(MADE_UP_ID.test(call.id) ? {} : { id: call.id }),
        name: exported?.names.toProvider(call.name) ?? call.name,
        response: result.ok ? { output: resultText(result) } : { error: resultText(result) },
      },
    })),
  };
}

function findParts(response: unknown): unknown[] {
  if (Array.isArray(response)) return response;
  if (!isPlainObject(response)) return [];
  if (Array.isArray(response['candidates'])) return findParts(response['candidates'][0]);
  if (isPlainObject(response['content'])) return findParts(response['content']);
  return Array.isArray(response['parts']) ? response['parts'] : [];
}
