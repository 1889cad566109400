import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import { explainIssues } from '../texts/explain-issues.ts';
import type { JsonSchema } from '../json.ts';
import { ToolContext } from '../tool-context.ts';
import { copyError, ToolError, ToolExecutionError } from '../tool-error.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import type { ToolSchema } from '../schema-types.ts';
import type { LangChainTool, Tool, Validation } from '../tool.ts';
import { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { toLangChainTool } from '../../export/langchain.ts';
import { readSchema, type SchemaReader } from '../schema/read-schema.ts';
import { messageOf } from '../texts/message-of.ts';

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
