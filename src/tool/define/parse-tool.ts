import { describeValue } from '../texts/describe-value.ts';
import { isPlainObject } from '../json.ts';
import { ToolError } from '../tool-error.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import type { ToolSchema } from '../schema-types.ts';
import type { Tool } from '../tool.ts';
import { makeTool } from './make-tool.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** A tool class whose constructor takes no arguments. */
export type ToolClass = new () => ToolDefinition;

/** A tool as a plain object. */
export interface PlainTool {
  readonly metadata: ToolMetadata;
  readonly schema: ToolSchema;
  readonly outputSchema?: ToolSchema;
  // The compiler cannot connect this input to the schema; `defineTool` does.
  execute(input: never, context: ToolContext): unknown;
}

/** Converts a tool, a tool class or a plain `{ metadata, schema, execute }` to a tool. */
export function parseTool(value: unknown): Tool {
  if (isTool(value)) {
    // Reading the metadata makes a class-based tool check itself.
    void value.metadata;
    return value;
  }
  if (isToolClass(value)) return parseTool(new value());
  if (isPlainObject(value) && isPlainObject(value['metadata']) && typeof value['execute'] === 'function') {
    const execute = value['execute'];
    return makeTool({
      metadata: value['metadata'],
      schema: value['schema'],
      outputSchema: value['outputSchema'],
      run: (input, context): unknown => execute.call(value, input, context),
    });
  }
  throw new ToolError({
    code: 'invalid_arguments',
    message: `Not a tool: ${describeValue(value)}. Make one with createTool(), defineTool() or a class that extends ToolDefinition.`,
    field: 'tool',
    reason: 'is not a tool',
  });
}

function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'metadata' in value &&
    'validate' in value &&
    typeof value.validate === 'function' &&
    'run' in value &&
    typeof value.run === 'function'
  );
}

function isToolClass(value: unknown): value is ToolClass {
  // Checks the shape instead of `instanceof`: the class may extend another copy's `ToolDefinition`.
  return typeof value === 'function' && isTool(value.prototype);
}
