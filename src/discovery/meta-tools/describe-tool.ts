import { riskFields, sourceOf } from '../../tool/tool-metadata.ts';
import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { DISCOVERY_MARK } from '../../tool/tool-marks.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { readInputSchema } from '../indexed-tool.ts';
import { describeFully, type FullDescription, type SchemaForm, writeFitting } from './texts/describe-hit.ts';
import { type DiscoveryTarget, type DiscoveryView, viewFor } from './discovery-view.ts';
import { explainUnknown } from './call-tool.ts';

const MOST = 20;

/** Creates `describe_tool`, which describes one or several tools in full. */
export function createDescribeTool(target: DiscoveryTarget): Tool {
  return defineTool({
    ...DISCOVERY_MARK,
    name: 'describe_tool',
    description: 'Show all about tools: description, parameters, risk, notes.',
    risk: 'read',
    schema: {
      type: 'object',
      properties: {
        names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST },
        name: { type: 'string', description: 'Instead of names: one tool' },
        arguments: { type: 'array', items: { type: 'string' }, maxItems: 100, description: 'Only these arguments' },
        schema: { enum: ['signature', 'json'], default: 'signature' },
      },
      additionalProperties: false,
    },
    execute: ({ name, names, schema: form, arguments: wanted }, context) =>
      describe(
        [...(name === undefined ? [] : [name]), ...(names ?? [])],
        { form, wanted },
        viewFor(target, boundsOf(context)),
      ),
  });
}

async function describe(names: readonly string[], how: FullDescription, view: DiscoveryView): Promise<ToolResult> {
  if (names.length === 0) return ToolResult.error(missingName());
  const unique = [...new Set(names)];
  await Promise.all(unique.flatMap((name) => (view.find(name) === undefined ? (view.arrival(name) ?? []) : [])));
  const known = unique.flatMap((name) => view.find(name) ?? []);
  const wrong = unique.filter((name) => view.find(name) === undefined);
  const unknown = await Promise.all(wrong.map((name) => explainUnknown(name, view)));
  if (known.length === 0 && unknown[0] !== undefined && unknown.length === 1) return ToolResult.error(unknown[0]);
  return ToolResult.from({
    text: [...known.map((tool) => describeFully(tool, how)), ...unknown.map(({ message }) => message)].join('\n\n'),
    data: { tools: known.map((tool) => toData(tool, how.form)), missing: unknown.map(({ toolName }) => toolName) },
    meta: { asText: true },
  });
}

function missingName(): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: 'describe_tool needs a name: { "names": ["…"] }, names as search_tools returns them.',
    toolName: 'describe_tool',
    field: 'names',
    reason: 'is required',
  });
}

function toData(found: Tool, form: SchemaForm): Record<string, unknown> {
  const tool = wordsForModel(found);
  const { name, description, category, tags, usageNotes, limitations, deprecated, replacedBy } = tool.metadata;
  const call = form === 'json' ? { inputSchema: readInputSchema(tool) } : { signature: writeFitting(tool) };
  const source = sourceOf(tool.metadata);
  const risk = riskFields(tool.metadata);
  return {
    name,
    ...call,
    description,
    source,
    category,
    tags,
    ...risk,
    usageNotes,
    limitations,
    deprecated,
    replacedBy,
  };
}
