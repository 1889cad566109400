import type { JsonSchema } from './json.ts';
import type { ToolSchema } from './schema-types.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolIssue } from './tool-error.ts';
import type { ToolMetadata } from './tool-metadata.ts';

/** @ts-ignore optional peer */
import type { DynamicStructuredTool } from '@langchain/core/tools';

/** A LangChain tool: `DynamicStructuredTool` if LangChain is installed. */
export type LangChainTool = Installed<
  DynamicStructuredTool,
  {
    readonly name: string;
    readonly description: string;
    readonly schema: unknown;
    invoke(input: unknown, config?: unknown): Promise<unknown>;
  }
>;

/** The result of validating a value: the value to use, or all its faults. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly issues: readonly ToolIssue[];
      /** The schema library's own error, if any (`ZodError`). */
      readonly cause?: unknown;
    };

/** A tool, in the same form however it was defined. */
export interface Tool<TInput = unknown, TOutput = unknown, TName extends string = string> {
  readonly metadata: ToolMetadata<TName>;
  /** The schema as its author wrote it. */
  readonly schema: ToolSchema;
  /** JSON Schema of the input, converted on first use. */
  readonly inputSchema: JsonSchema;
  /** JSON Schema of the output, if declared. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Validates an input and compiles the schema on first use. Asynchronous only for an async schema. */
  validate(input: unknown): Validation | Promise<Validation>;
  /** Runs the tool's code with validated input. Callers use `execute` or `registry.call`. */
  run(input: unknown, context: ToolContext): TOutput | Promise<TOutput>;
  /** Validates and runs. Throws `ZodError` for bad input with a zod schema, `ToolError` otherwise. */
  execute(input: TInput, context?: ToolContext | Readonly<Record<string, unknown>>): Promise<TOutput>;
  /** Returns a LangChain `StructuredTool` whose `invoke` goes through the pipeline. */
  toLangChainTool(): LangChainTool;
}

/** A type of an optional package, or a substitute where the package is not installed and the compiler sees `any`. */
// Wrapped in tuples: a condition on the missing type itself would be `any` again.
export type Installed<T, StandIn> = [0] extends [1 & T] ? StandIn : T;

/** A tool call as data, converted from any provider, protocol or form. */
export interface ToolCall {
  readonly id: string;
  /** The tool's name on the board. */
  readonly name: string;
  /** The arguments; `undefined` when they could not be parsed: see `malformed`. */
  readonly input: unknown;
  /** Set to the reason when the arguments were not valid JSON. */
  readonly malformed?: string;
  /** The provider's data about its program that made the call. It is returned with the result. */
  readonly caller?: Readonly<Record<string, unknown>>;
}
