import { sourceOf } from '../tool/tool-metadata.ts';
import type { JsonSchema } from '../tool/json.ts';
import type { Tool } from '../tool/tool.ts';

/** Not a character of any text, so that no match crosses the end of a field. */
export const BORDER = '\uFFFF';

/** The origin of tools: a file, a server, a command line. */
export interface SourceInfo {
  readonly name: string;
  readonly description?: string | undefined;
  readonly category?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A tool with the facts of its source. */
export interface IndexedTool {
  readonly tool: Tool;
  readonly name: string;
  readonly source: string;
  readonly sourceDescription: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  /** Queries that led to successful calls of it. */
  readonly learned?: readonly string[];
  /** Its position in the order of registration. */
  readonly order: number;
  /** The text of a plain search: the fields in lower case, separated by `BORDER`. */
  readonly folded: string;
}

/** A search result with everything needed to call the tool. */
export interface ToolIndexEntry {
  readonly name: string;
  readonly description: string;
  /** The name of its source, called `cli` as in CLImax. */
  readonly cli: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  /** JSON Schema of the arguments; converted when first read. */
  readonly inputSchema: JsonSchema;
}

/** Combines a tool with its source: the tool's own category wins, tags are merged. */
export function toIndexedTool(tool: Tool, info: SourceInfo | undefined, order: number): IndexedTool {
  const { name, description } = tool.metadata;
  const source = info?.name ?? sourceOf(tool.metadata);
  const category = tool.metadata.category ?? info?.category ?? null;
  const tags = [...new Set([...(info?.tags ?? []), ...(tool.metadata.tags ?? [])])];
  const folded = [name, description, source, category ?? '', ...tags].join(BORDER).toLowerCase();
  return { tool, name, source, sourceDescription: info?.description ?? '', category, tags, order, folded };
}

/** Creates the entry of a tool. Its schema is converted when first read. */
export function toEntry({ tool, name, source, category, tags }: IndexedTool): ToolIndexEntry {
  return {
    name,
    description: tool.metadata.description,
    cli: source,
    category,
    tags: [...tags],
    get inputSchema() {
      return readInputSchema(tool);
    },
  };
}

/** Returns a tool's input schema, or `{}` if the schema's library cannot express it in JSON. */
export function readInputSchema(tool: Pick<Tool, 'inputSchema'>): JsonSchema {
  try {
    return tool.inputSchema;
  } catch {
    return {};
  }
}
