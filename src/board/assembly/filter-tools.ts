import type { Refusal, ToolList } from '../../load/features/tool-list.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { Tool } from '../../tool/tool.ts';
import type { OpenedFeature } from '../features/board-features.ts';

/** The tools that features leave to callers, under the descriptions that features give them. */
interface FilteredTools {
  readonly tools: readonly Tool[];
  /** Reasons that callers may learn, by the names of tools. */
  readonly shown: ReadonlyMap<string, string>;
  /** Reasons for people alone. */
  readonly denied: ReadonlyMap<string, string>;
}

/** Lets each feature take tools away, and then describe those that are left. */
export function filterTools(tools: readonly Tool[], features: readonly OpenedFeature[], list: ToolList): FilteredTools {
  const shown = new Map<string, string>();
  const denied = new Map<string, string>();
  let left = tools;
  for (const { feature, open } of features) {
    const found = open.filter?.(left, list) ?? new Map<string, string | Refusal>();
    for (const [name, refusal] of found) {
      if (typeof refusal === 'string') denied.set(name, `${refusal} (${feature.name})`);
      else (refusal.isShown === true ? shown : denied).set(name, refusal.reason);
    }
    if (found.size > 0) left = left.filter(({ metadata }) => !found.has(metadata.name));
  }
  const describing = features.flatMap(({ open }) => (open.describe === undefined ? [] : [open]));
  const described = left.map((tool) =>
    describe(
      tool,
      describing.map((open) => open.describe?.(tool, list)).findLast((text) => text !== undefined),
    ),
  );
  return { tools: described, shown, denied };
}

/** The same tool under another description. */
function describe(tool: Tool, description: string | undefined): Tool {
  if (description === undefined) return tool;
  const { schema, outputSchema } = tool;
  return parseTool({
    metadata: { ...tool.metadata, description },
    schema,
    outputSchema,
    execute: (input: unknown, context: Parameters<Tool['run']>[1]) => tool.run(input, context),
  });
}
