import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { HttpEntry, RagEntry, RunCommand, RunEntry, RunSettings, ToolEntry } from '../../kinds/tool-entry.ts';
import { RAG_OPERATIONS } from '../../kinds/rag/rag-tool-config.ts';
import type { FileContext } from '../file-context.ts';

type Scalar = string | number | boolean;

interface CtxCommand {
  readonly cmd: string;
  readonly args?: readonly (Scalar | { readonly name: string; readonly when?: string | boolean })[];
  readonly workingDir?: string | null;
  readonly env?: Readonly<Record<string, Scalar>>;
  readonly when?: string | boolean;
}

interface CtxRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, Scalar>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A tool of a ctx file, checked against its schema. */
export interface CtxTool {
  readonly id: string;
  readonly description: string;
  readonly type: 'run' | 'http' | 'rag';
  readonly schema?: JsonSchema;
  readonly env?: Readonly<Record<string, Scalar>>;
  readonly workingDir?: string | null;
  readonly paths?: readonly string[];
  readonly commands?: readonly CtxCommand[];
  readonly requests?: readonly CtxRequest[];
  readonly collection?: string;
  readonly operations?: readonly ('search' | 'store')[];
}

/** Turns the tools of a ctx file into entries. */
export function readCtxTools(tools: readonly CtxTool[], source: string, context: FileContext): ToolEntry[] {
  return tools.map((tool, index) => {
    const base = {
      file: context.yaml.file,
      path: ['tools', index],
      paths: tool.paths,
      metadata: { name: tool.id, description: tool.description.trim(), source, risk: riskOf(tool) },
    };
    switch (tool.type) {
      case 'run':
        return {
          ...base,
          paths: tool.paths ?? [],
          type: 'run',
          schema: toObjectSchema(tool.schema),
          commands: (tool.commands ?? []).map(readCommand),
          running: runSettings(tool, context),
        } satisfies RunEntry;
      case 'http':
        return {
          ...base,
          type: 'http',
          schema: toObjectSchema(tool.schema),
          requests: (tool.requests ?? []).map((request) => ({
            url: request.url,
            method: (request.method ?? 'GET').toUpperCase(),
            headers: toTexts(request.headers ?? {}),
            query: request.query ?? {},
            body: request.body,
            form: undefined,
          })),
          redirects: 'same-origin',
          allowHosts: [],
        } satisfies HttpEntry;
      default:
        return {
          ...base,
          type: 'rag',
          collection: tool.collection ?? '',
          operations: tool.operations ?? RAG_OPERATIONS,
        } satisfies RagEntry;
    }
  });
}

/** A ctx file does not say what its tools may do: searching and GET look, all else may change things. */
function riskOf(tool: CtxTool): 'read' | 'write' {
  const looksOnly =
    (tool.type === 'rag' && tool.operations?.every((operation) => operation === 'search') === true) ||
    (tool.type === 'http' && tool.requests?.every(({ method }) => /^(?:get|head)$/i.test(method ?? 'GET')) === true);
  return looksOnly ? 'read' : 'write';
}

/** ctx leaves out `type`, and writes a bare `properties`. Arguments that are not declared are refused. */
export function toObjectSchema(schema: JsonSchema = {}): JsonSchema {
  return {
    additionalProperties: false,
    ...schema,
    type: 'object',
    properties: isPlainObject(schema['properties']) ? schema['properties'] : {},
  };
}

function readCommand(command: CtxCommand): RunCommand {
  return {
    cmd: command.cmd,
    args: (command.args ?? []).map((arg) =>
      typeof arg === 'object'
        ? { text: arg.name, when: arg.when === undefined ? undefined : String(arg.when) }
        : { text: String(arg), when: undefined },
    ),
    workingDir: command.workingDir ?? undefined,
    env: toTexts(command.env ?? {}),
    when: command.when === undefined ? undefined : String(command.when),
  };
}

function runSettings(tool: CtxTool, context: FileContext): RunSettings {
  const env = toTexts(tool.env ?? {});
  for (const [name, value] of Object.entries(env)) context.addSecrets(name, value);
  return {
    env,
    envPass: [],
    workingDir: tool.workingDir ?? undefined,
    sandbox: undefined,
    output: 'text',
    exitCodes: {},
  };
}

function toTexts(values: Readonly<Record<string, Scalar>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
