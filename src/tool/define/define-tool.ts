import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import { describeValue } from '../texts/describe-value.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import type { OnlyObjects, OutputUnder, SchemaInput, SchemaOutput, ToolSchema } from '../schema-types.ts';
import type { Tool } from '../tool.ts';
import { makeTool } from './make-tool.ts';

/** A whole tool in one object: its metadata, its schema and its code. */
export interface ToolSpec<
  S extends ToolSchema,
  TOutput,
  TName extends string = string,
  O extends ToolSchema | undefined = ToolSchema | undefined,
> extends ToolMetadata<TName> {
  /** zod 4, any Standard Schema, or JSON Schema 2020-12. */
  readonly schema: S & OnlyObjects<S>;
  /** What the tool gives back, where callers should know. */
  readonly outputSchema?: O & OnlyObjects<O>;
  /** The tool's code. `input` was validated, defaults filled in. */
  execute(input: SchemaOutput<S>, context: ToolContext): TOutput | Promise<TOutput>;
}

/**
 * Defines a tool in one object.
 *
 * @example
 * const greet = defineTool({
 *   name: 'greet',
 *   description: 'Greet someone by name.',
 *   schema: z.object({ name: z.string() }),
 *   execute: ({ name }) => `Hello, ${name}`,
 * });
 */
export function defineTool<
  const S extends ToolSchema,
  TOutput extends OutputUnder<O>,
  const TName extends string,
  const O extends ToolSchema | undefined = undefined,
>(spec: ToolSpec<S, TOutput, TName, O>): Tool<SchemaInput<S>, Awaited<TOutput>, TName> {
  // oxlint-disable-next-line typescript/unbound-method -- it is called on `spec` below
  const { schema, outputSchema, execute, ...metadata } = spec;
  if (typeof execute !== 'function') {
    const fault = {
      field: 'execute',
      reason: `must be a function (input, context) => output; got ${describeValue(execute)}`,
    };
    throw refuseTool(spec.name, [...findMetadataFaults(metadata), fault]);
  }
  // `makeTool` knows nothing of types; the schema's own types hold because it validates with that schema.
  return makeTool({
    metadata,
    schema,
    outputSchema,
    run: (input: SchemaOutput<S>, context) => spec.execute(input, context),
  }) as Tool<SchemaInput<S>, Awaited<TOutput>, TName>;
}
