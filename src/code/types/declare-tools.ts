import type { Tool } from '../../tool/tool.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { type TypeStyle, toComment, writeKey, writeTypescript } from './write-typescript.ts';

const FOR_MODELS: TypeStyle = { depth: 6, values: 40, comments: false };
const BRIEFLY: TypeStyle = { depth: 2, values: 8, comments: false };
const FOR_PEOPLE: TypeStyle = { depth: 20, values: 200, comments: true };

/** Options for declaring a tool. */
export interface DeclareOptions {
  /** The learned shape of its results, if it has no output schema. */
  readonly learned?: JsonSchema | undefined;
  /** Omits deeply nested types. Default: `false`. */
  readonly isBrief?: boolean;
  /** Omits everything but the name. Default: `false`. */
  readonly isNamed?: boolean;
}

/** Declares a tool on one line: `git_log(args: { path: string; limit?: number }): Promise<string>`. */
export function declareTool(tool: Tool, identifier: string, options: DeclareOptions = {}): string {
  const { learned, isBrief = false, isNamed = false } = options;
  const style = isBrief ? BRIEFLY : FOR_MODELS;
  const { inputSchema, outputSchema } = wordsForModel(tool);
  const key = writeKey(identifier);
  const name = key === identifier ? identifier : `[${key}]`;
  if (isNamed) return `${name}(…)`;
  return `${name}(${writeArguments(inputSchema, style)}): Promise<${writeOutput(outputSchema ?? learned, style)}>`;
}

/** Declares a tool as a member of the type of `tools`, with its description above. */
export function declareMember(tool: Tool, identifier: string, { learned }: DeclareOptions = {}): string {
  const { inputSchema, outputSchema, metadata } = wordsForModel(tool);
  const output = writeOutput(outputSchema ?? learned, FOR_PEOPLE);
  const description = toComment(metadata.description);
  return [
    ...(description === '' ? [] : [`/** ${description} */`]),
    `${writeKey(identifier)}: ToolFunction<${writeInput(inputSchema, FOR_PEOPLE)}, ${output}${isOptional(inputSchema) ? ', true' : ''}>;`,
  ].join('\n');
}

function writeArguments(schema: JsonSchema, style: TypeStyle): string {
  const type = writeInput(schema, style);
  return type === '{}' ? '' : `args${isOptional(schema) ? '?' : ''}: ${type}`;
}

function writeInput(schema: JsonSchema, style: TypeStyle): string {
  const { properties } = schema;
  const isEmpty = !isPlainObject(properties) || Object.keys(properties).length === 0;
  const takesMore = ['anyOf', 'oneOf', 'allOf', '$ref', 'additionalProperties', 'patternProperties'].some(
    (key) => schema[key] !== undefined && schema[key] !== false,
  );
  return isEmpty && !takesMore ? '{}' : writeTypescript(schema, style);
}

/** True when a tool can be called without arguments. */
function isOptional(schema: JsonSchema): boolean {
  const { required } = schema;
  const isChoice = ['anyOf', 'oneOf', 'allOf', '$ref'].some((key) => key in schema);
  return !isChoice && (!Array.isArray(required) || required.length === 0);
}

/** A tool without an output schema returns text, unless another shape was learned. */
function writeOutput(schema: JsonSchema | undefined, style: TypeStyle): string {
  return schema === undefined ? 'unknown' : writeTypescript(schema, style);
}
