import { findMetadataFaults, refuseTool } from '../check-metadata.ts';
import { describeValue } from '../texts/describe-value.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import type { OnlyObjects, OutputUnder, SchemaInput, SchemaOutput, ToolSchema } from '../schema-types.ts';
import type { Tool } from '../tool.ts';
import { makeTool } from './make-tool.ts';

/** A tool in one object: its metadata, schema and code. */
export interface ToolSpec<
  S extends ToolSchema,
  TOutput,
  TName extends string = string,
  O extends ToolSchema | undefined = ToolSchema | undefined,
> extends ToolMetadata<TName> {
  /** zod 4, any Standard Schema, or JSON Schema 2020-12. */
  readonly schema: S & OnlyObjects<S>;
  /** The schema of the output, for callers. */
  readonly outputSchema?: O & OnlyObjects<O>;
  /** Runs the tool. `input` is validated and has defaults filled in. */
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
  // oxlint-disable-next-line typescript/unbound-method -- it is bound to `spec` below
  const { schema, outputSchema, execute, ...metadata } = spec;
  if (typeof execute !== 'function') {
    const fault = {
      field: 'execute',
      reason: `must be a function (input, context) => output; got ${describeValue(execute)}`,
    };
    throw refuseTool(spec.name, [...findMetadataFaults(metadata), fault]);
  }
  // `makeTool` is untyped; the schema's types hold because it validates with that schema.
  return makeTool({
    metadata,
    schema,
    outputSchema,
    run: execute.bind(spec),
  }) as Tool<SchemaInput<S>, Awaited<TOutput>, TName>;
}
