import type { Installed } from './installed.ts';
import type { JsonSchema } from './json.ts';
import type { ToolSchema } from './schema-types.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolIssue } from './tool-error.ts';
import type { ToolMetadata } from './tool-metadata.ts';
/** @ts-ignore optional peer */
import type { DynamicStructuredTool } from '@langchain/core/tools';

/** A LangChain tool: its own `DynamicStructuredTool` where LangChain is installed. */
export type LangChainTool = Installed<
  DynamicStructuredTool,
  {
    readonly name: string;
    readonly description: string;
    readonly schema: unknown;
    invoke(input: unknown, config?: unknown): Promise<unknown>;
  }
>;

/** The outcome of checking a value: the value to use, or everything that is wrong with it. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly issues: readonly ToolIssue[];
      /** The schema library's own error, where it has one (`ZodError`). */
      readonly cause?: unknown;
    };

/** A tool: the same whichever way it was written. */
export interface Tool<TInput = unknown, TOutput = unknown, TName extends string = string> {
  /** What a board knows about it besides its schema and its code. */
  readonly metadata: ToolMetadata<TName>;
  /** The schema as its author wrote it. */
  readonly schema: ToolSchema;
  /** JSON Schema of what a caller sends; converted on first use. */
  readonly inputSchema: JsonSchema;
  /** JSON Schema of what the tool gives back, where its author told. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Checks an input, compiling the schema on first use. Asynchronous only when the schema is. */
  validate(input: unknown): Validation | Promise<Validation>;
  /** The tool's own code, for an input that was validated. Callers want `execute` or `registry.call`. */
  run(input: unknown, context: ToolContext): TOutput | Promise<TOutput>;
  /** Validates and runs. Throws `ZodError` for bad input under a zod schema, `ToolError` otherwise. */
  execute(input: TInput, context?: ToolContext | Readonly<Record<string, unknown>>): Promise<TOutput>;
  /** A LangChain `StructuredTool` whose `invoke` goes through the pipeline. */
  toLangChainTool(): LangChainTool;
}
