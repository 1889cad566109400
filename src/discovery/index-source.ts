import { describeValue } from '../tool/texts/describe-value.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';
import { type Registrable, ToolRegistry } from '../board/registry/tool-registry.ts';
import type { SourceInfo } from './indexed-tool.ts';

/** A config file: its description and its tools. */
export interface IndexedConfig extends SourceInfo {
  readonly tools: Iterable<Registrable>;
}

/** Texts that searches read in addition to what tools say of themselves. */
export interface SearchWords {
  /** Queries that models wrote, by tool. */
  readonly queries: ReadonlyMap<string, readonly string[]>;
  /** Title, instructions and prompts of MCP servers, by server. */
  readonly about: ReadonlyMap<string, string>;
}

/** The part of a board that an index reads; every `BoardParts` has it. */
export interface IndexedBoard {
  readonly registry: ToolRegistry;
  readonly files?: readonly SourceInfo[] | undefined;
}

/** The source of an index: a registry or a board, both followed as they change, or a list of configs. */
export type IndexSource = ToolRegistry | IndexedBoard | Iterable<IndexedConfig>;

/** An opened source: tools with their origin, and the registry to follow. */
export interface OpenedSource {
  readonly tools: readonly { readonly tool: Tool; readonly source: SourceInfo | undefined }[];
  /** Returns the sources in order, including configs without tools. */
  sources(): readonly SourceInfo[];
  readonly registry: ToolRegistry | undefined;
  readonly warnings: readonly string[];
}

/** Opens a registry, a board or a list of configs. */
export function openSource(source: IndexSource): OpenedSource {
  if (typeof source === 'object' && source !== null) {
    // Not `instanceof`: the registry may come from another copy of this package.
    if ('getAll' in source) return openRegistry({ registry: source });
    if ('registry' in source) return openRegistry(source);
    if (Symbol.iterator in source) return openConfigs(source);
  }
  throw new ToolError({
    code: 'invalid_arguments',
    message: `ToolIndex.from takes a registry, a board or a list of configs; got ${describeValue(source)}.`,
    field: 'source',
    reason: 'must be a registry, a board or a list of configs',
  });
}

function openRegistry(board: IndexedBoard): OpenedSource {
  const none: readonly SourceInfo[] = [];
  const sources = (): readonly SourceInfo[] => board.files ?? none;
  const byName = new Map(sources().map((source) => [source.name, source]));
  return {
    tools: board.registry.getAll().map((tool) => ({ tool, source: byName.get(tool.metadata.source ?? '') })),
    sources,
    registry: board.registry,
    warnings: [],
  };
}

/** Opens configs; the last one to define a name wins. */
function openConfigs(configs: Iterable<IndexedConfig>): OpenedSource {
  const sources = [...configs];
  const tools = new Map<string, { readonly tool: Tool; readonly source: IndexedConfig }>();
  const warnings: string[] = [];
  for (const source of sources) {
    // A registry accepts every form of a tool.
    const registry = new ToolRegistry();
    for (const tool of source.tools) registry.register(tool, { override: true });
    for (const tool of registry.getAll()) {
      const { name } = tool.metadata;
      const taken = tools.get(name);
      if (taken !== undefined) {
        warnings.push(
          `Tool "${name}" is in ${taken.source.name} and in ${source.name}; the one in ${source.name} is used.`,
        );
        tools.delete(name);
      }
      tools.set(name, { tool, source });
    }
  }
  return { tools: [...tools.values()], sources: () => sources, registry: undefined, warnings };
}
