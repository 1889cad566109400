import type { Tool } from '../tool/tool.ts';
import type { Exporter } from '../export/exporter.ts';
import { builtInExporters } from '../export/exporters.ts';

/**
 * Checks what every model, framework and client relies on, for the built-in exporters and the given ones. Returns a
 * sentence for each problem; an empty list means a good tool. Calls nothing.
 */
export async function checkTool(tool: Tool, exporters: readonly Exporter[] = []): Promise<string[]> {
  const { name, description, examples = [] } = tool.metadata;
  const faults: string[] = [];
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    faults.push(`The name "${name}" is changed for most providers, which take 1 to 64 of A-Z a-z 0-9 _ -.`);
  if (description.trim().split(/\s+/).length < 3)
    faults.push('The description has fewer than three words: models choose by it.');
  faults.push(...undescribed(tool).map((parameter) => `The parameter "${parameter}" has no description.`));
  for (const exporter of [...builtInExporters, ...exporters]) {
    for (const { action, message } of exporter.export([tool]).report.entries) {
      if (action === 'quarantined') faults.push(`It cannot be exported for ${exporter.provider}: ${message}`);
    }
  }
  for (const [index, example] of examples.entries()) {
    const validation = await tool.validate(example.input);
    if (validation.ok) continue;
    const issues = validation.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    faults.push(`Example ${index + 1} ("${example.description}") does not fit the schema: ${issues}`);
  }
  return faults;
}

function undescribed(tool: Tool): string[] {
  const { properties } = tool.inputSchema;
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, property]: [string, unknown]) =>
    typeof property === 'object' && property !== null && 'description' in property ? [] : [name],
  );
}
