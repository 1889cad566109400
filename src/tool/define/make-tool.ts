import { toLangChainTool } from '../../export/langchain.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import type { JsonSchema } from '../json.ts';
import type { ToolSchema } from '../schema-types.ts';
import { readSchema, type SchemaReader } from '../schema/read-schema.ts';
import { serverFactsOf, withServerFacts } from '../server-words.ts';
import { explainIssues } from '../texts/explain-issues.ts';
import { messageOf } from '../texts/message-of.ts';
import { ToolContext } from '../tool-context.ts';
import { copyError, ToolError, ToolExecutionError } from '../tool-error.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import type { LangChainTool, Tool, Validation } from '../tool.ts';

/** The common form of all tool definitions. */
export interface ToolParts {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly schema: unknown;
  readonly outputSchema?: unknown;
  readonly run: (input: never, context: ToolContext) => unknown;
}

/** Creates a tool from its parts. Throws a `ToolError` that names each invalid field. */
export function makeTool(parts: ToolParts): Tool {
  const faults = findMetadataFaults(parts.metadata);
  if (faults.length > 0) throw refuseTool(parts.metadata['name'], faults);
  return new ReadyTool(parts);
}

/** A class, so that ten thousand tools share their methods. */
class ReadyTool implements Tool {
  readonly metadata: ToolMetadata;
  readonly schema: ToolSchema;
  readonly #reader: SchemaReader;
  readonly #outputReader: SchemaReader | undefined;
  readonly #run: (input: never, context: ToolContext) => unknown;

  constructor(parts: ToolParts) {
    // `makeTool` has checked it.
    const metadata = Object.freeze({ ...parts.metadata }) as unknown as ToolMetadata;
    this.metadata = metadata;
    this.#reader = forTool(metadata.name, () => readSchema(parts.schema));
    this.#outputReader =
      parts.outputSchema === undefined ? undefined : forTool(metadata.name, () => readSchema(parts.outputSchema));
    // `readSchema` refuses anything but a schema.
    this.schema = parts.schema as ToolSchema;
    this.#run = parts.run;
  }

  get inputSchema(): JsonSchema {
    return this.#reader.jsonSchema();
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#outputReader?.jsonSchema();
  }

  validate(input: unknown): Validation | Promise<Validation> {
    return this.#reader.validate(input);
  }

  run(input: unknown, context: ToolContext): unknown {
    // Input is validated before, so it has the schema's type.
    return this.#run(input as never, context);
  }

  /** Not an async function, which saves a promise on the direct path. */
  execute(input: unknown, context?: ToolContext | Readonly<Record<string, unknown>>): Promise<unknown> {
    let output: unknown;
    try {
      const checked = this.#reader.validate(input);
      if (checked instanceof Promise) return checked.then((validation) => this.#proceed(validation, input, context));
      if (!checked.ok) return Promise.reject(this.#refuse(checked, input));
      output = this.#run(checked.value as never, ToolContext.from(context));
    } catch (cause) {
      return Promise.reject(toExecutionError(this.metadata.name, cause));
    }
    return output instanceof Promise ? output.then(undefined, this.#fail) : Promise.resolve(output).catch(this.#fail);
  }

  async #proceed(
    validation: Validation,
    input: unknown,
    context: ToolContext | Readonly<Record<string, unknown>> | undefined,
  ): Promise<unknown> {
    if (!validation.ok) throw this.#refuse(validation, input);
    try {
      return await this.#run(validation.value as never, ToolContext.from(context));
    } catch (cause) {
      return this.#fail(cause);
    }
  }

  #refuse(validation: Validation & { readonly ok: false }, input: unknown): unknown {
    return validation.cause ?? new ToolExecutionError(explainIssues(this, validation.issues, input));
  }

  readonly #fail = (cause: unknown): never => {
    throw toExecutionError(this.metadata.name, cause);
  };

  toLangChainTool(): LangChainTool {
    return toLangChainTool(this, new ToolExecutor());
  }
}

/** Adds the tool's name to an error about its schema. */
function forTool<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    throw copyError(cause, { message: `Tool "${name}" cannot be made: ${cause.message}`, toolName: name, cause });
  }
}

function toExecutionError(name: string, cause: unknown): ToolExecutionError {
  if (cause instanceof ToolExecutionError) return cause;
  const message = messageOf(cause);
  return new ToolExecutionError({
    message: `Tool "${name}" failed: ${message}`,
    toolName: name,
    cause,
    ...(cause instanceof ToolError
      ? { code: cause.code, recoverable: cause.recoverable, protocol: cause.protocol }
      : {}),
  });
}

/** Returns tools whose every call goes through this executor, with its guard, limits and secrets. */
export function bindTools(tools: readonly Tool[], executor: ToolExecutor): Tool[] {
  return tools.map((tool) => bindTool(tool, executor));
}

/** Binds one tool. Its metadata contains no secrets either, for any exporter. */
export function bindTool(tool: Tool, executor: ToolExecutor): Tool {
  // The bound tool itself is called: it is the tool on the board, in callers' bounds and in slots.
  const bound: Tool = deriveTool(tool, {
    metadata: redactMetadata(tool, executor),
    show: (schema) => executor.redactor.part(schema),
    execute: (input, context) => executeBound(bound, input, { executor, context }),
    toLangChainTool: () => toLangChainTool(bound, executor),
  });
  if (!isProxyTool(tool)) return bound;
  return Object.assign(bound, { forward: tool.forward.bind(tool), targetName: tool.targetName.bind(tool) });
}

/** Redacts a copy, which keeps what is not JSON. The name stays, because calls use it. */
function redactMetadata(tool: Tool, { redactor }: ToolExecutor): Tool['metadata'] {
  const metadata = { ...tool.metadata, ...redactor.part(tool.metadata), name: tool.metadata.name };
  const facts = serverFactsOf(tool);
  return facts === undefined ? metadata : withServerFacts(metadata, { ...facts, said: redactor.part(facts.said) });
}

async function executeBound(
  tool: Tool,
  input: unknown,
  call: {
    readonly executor: ToolExecutor;
    readonly context: ToolContext | Readonly<Record<string, unknown>> | undefined;
  },
): Promise<unknown> {
  const result = await call.executor.execute(tool, input, { context: call.context });
  if (result.failed()) {
    const { code, message, toolName, field, reason, issues, recoverable, protocol } = result.error;
    const parts = { code, message, toolName, field, reason, issues, recoverable, protocol };
    throw new ToolExecutionError({ ...parts, cause: result.error });
  }
  return result.data === undefined ? result.text : result.data;
}

/** The parts that replace those of the original tool. */
interface OwnParts extends Partial<Pick<Tool, 'metadata' | 'execute' | 'toLangChainTool'>> {
  /** Changes the schemas for display. Default: unchanged. */
  readonly show?: (schema: JsonSchema) => JsonSchema;
}

/** Copies a tool with some parts replaced. Schemas are still converted lazily. */
export function deriveTool(tool: Tool, own: OwnParts): Tool {
  const { show = (schema) => schema } = own;
  return {
    metadata: own.metadata ?? tool.metadata,
    schema: tool.schema,
    get inputSchema() {
      return show(tool.inputSchema);
    },
    get outputSchema() {
      return tool.outputSchema === undefined ? undefined : show(tool.outputSchema);
    },
    validate: (input) => tool.validate(input),
    run: (input, context) => tool.run(input, context),
    execute: own.execute ?? ((input, context) => tool.execute(input, context)),
    toLangChainTool: own.toLangChainTool ?? (() => tool.toLangChainTool()),
  };
}
