import type { Tool } from '../../tool/tool.ts';
import { bindTools } from '../../tool/define/make-tool.ts';
import { createCallTool } from './call-tool.ts';
import { createClimaxCall } from './climax/climax-call.ts';
import { createClimaxSearch } from './climax/climax-search.ts';
import { createDescribeTool } from './describe-tool.ts';
import type { DiscoveryTarget } from './discovery-view.ts';
import { createSearchTool } from './search-tools.ts';

/** Options of `createDiscoveryTools`. */
export interface DiscoveryToolsOptions {
  /** `climax` creates `climax_search` and `climax_call`, as CLImax's clients know them. */
  readonly compat?: 'climax' | undefined;
}

/**
 * Creates the tools with which an agent finds and calls all others: `search_tools`, `call_tool` and `describe_tool`.
 *
 * They are ordinary tools. The index skips them, policies allow them, and a call through `call_tool` is guarded and
 * recorded as a call of the tool it names.
 *
 * @example
 * registry.registerMany(createDiscoveryTools({ registry, index: ToolIndex.from(registry) }));
 */
export function createDiscoveryTools(target: DiscoveryTarget, options: DiscoveryToolsOptions = {}): Tool[] {
  const tools =
    options.compat === 'climax'
      ? [createClimaxSearch(target), createClimaxCall(target)]
      : [createSearchTool(target), createCallTool(target), createDescribeTool(target)];
  return bindTools(tools, target.registry.executor);
}
