import { describeValue } from '../../tool/texts/describe-value.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { allParameters, readVariants } from '../../tool/parameters/read-variants.ts';
import { createReferenceFinder } from '../../tool/parameters/resolve-reference.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import type { Tool } from '../../tool/tool.ts';

/** Returns the fault of a limit on an argument that the tool does not have. `undefined` when the arguments are not known. */
export function findArgumentFault(tool: Tool | undefined, argument: string): string | undefined {
  let schema = tool === undefined ? undefined : readSchema(tool);
  const find = createReferenceFinder(schema ?? {});
  for (const step of argument.split('.')) {
    if (step.startsWith('*')) return undefined;
    while (isPlainObject(schema?.['items'])) schema = schema['items'];
    const known = schema === undefined ? [] : allParameters(readVariants(schema, find));
    if (known.length === 0 && !isPlainObject(schema?.['properties'])) return undefined;
    if (known.some(({ name }) => name === argument)) return undefined;
    const next = known.find(({ name }) => name === step);
    if (next === undefined) {
      const names = known.map(({ name }) => name);
      return explain(String(tool?.metadata.name), step, names);
    }
    schema = next.schema;
  }
  return undefined;
}

function explain(tool: string, argument: string, known: readonly string[]): string {
  const [nearest] = nearestNames(argument, known, 1);
  const start = `the tool ${describeValue(tool)} has no argument ${describeValue(argument)}`;
  if (nearest !== undefined) return `${start}. Did you mean ${describeValue(nearest)}?`;
  return known.length === 0 ? `${start}.` : `${start}. It has: ${known.join(', ')}.`;
}

function readSchema(tool: Tool): JsonSchema | undefined {
  try {
    return tool.inputSchema;
  } catch {
    // A schema that cannot be shown can still be checked.
    return undefined;
  }
}
