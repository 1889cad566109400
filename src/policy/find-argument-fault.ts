import { describeValue } from '../core/describe-value.ts';
import { isPlainObject } from '../core/json.ts';
import { nearestNames } from '../core/suggest.ts';
import type { Tool } from '../core/tool.ts';

/** What is wrong with a limit on this argument: the tool has none of the name. `undefined` when that cannot be told. */
export function findArgumentFault(tool: Tool | undefined, argument: string): string | undefined {
  let schema = tool === undefined ? undefined : readSchema(tool);
  for (const step of argument.split('.')) {
    while (isPlainObject(schema) && isPlainObject(schema['items'])) schema = schema['items'];
    if (!isPlainObject(schema) || !isPlainObject(schema['properties'])) return undefined;
    const { properties } = schema;
    if (Object.hasOwn(properties, argument)) return undefined;
    if (!Object.hasOwn(properties, step)) return explain(String(tool?.metadata.name), step, Object.keys(properties));
    schema = properties[step];
  }
  return undefined;
}

function explain(tool: string, argument: string, known: readonly string[]): string {
  const [nearest] = nearestNames(argument, known, 1);
  const start = `the tool ${describeValue(tool)} has no argument ${describeValue(argument)}`;
  if (nearest !== undefined) return `${start}. Did you mean ${describeValue(nearest)}?`;
  return known.length === 0 ? `${start}.` : `${start}. It has: ${known.join(', ')}.`;
}

function readSchema(tool: Tool): unknown {
  try {
    return tool.inputSchema;
  } catch {
    // A schema that cannot be shown can still be checked.
    return undefined;
  }
}
