import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonSchema } from './json.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolIssue } from './tool-error.ts';
import type { ToolMetadata } from './tool-metadata.ts';
/** @ts-ignore optional peer: the type is `any` where LangChain is not installed */
import type { DynamicStructuredTool } from '@langchain/core/tools';

/** What a tool's input can be described with: zod 4, any Standard Schema library, or JSON Schema 2020-12. */
export type ToolSchema = StandardSchemaV1 | JsonSchema;

/** What a caller may send under this schema. */
export type SchemaInput<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : Record<string, unknown>;

/** What the tool's code receives under this schema, defaults filled in. */
export type SchemaOutput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : // JSON Schema says nothing to the compiler: the tool's code names its own types.
    // oxlint-disable-next-line typescript/no-explicit-any
    Record<string, any>;

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
export interface Tool<TInput = unknown, TOutput = unknown> {
  readonly metadata: ToolMetadata;
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
  toLangChainTool(): DynamicStructuredTool;
}
