import { isPlainObject, type JsonSchema } from './json.ts';
import { stripHidden } from './texts/reveal-hidden.ts';
import type { ToolMetadata } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** What a tool says of itself: the part of it that listings and exporters read. */
export type ToolWords = Pick<Tool, 'metadata' | 'inputSchema' | 'outputSchema'>;

/** What a server said of its tool where the tool on the board has it otherwise: MCP clients get it as it was said. */
interface SaidWords {
  /** With the blanks around it. */
  readonly description?: string;
  /** Schemas of which the board can check a part only. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** How the server runs it, such as `taskSupport`. */
  readonly execution?: Readonly<Record<string, unknown>>;
}

/** What is known of a tool of another MCP server, besides what each tool has. */
export interface ServerFacts {
  /** Whether its title is for listings: one that stands in its annotations alone is not. */
  readonly hasTitle: boolean;
  /** Whether the board's config states its risk. */
  readonly hasRisk: boolean;
  /** Whether models get its words and results with hidden characters in them. */
  readonly keepsHidden: boolean;
  readonly said: SaidWords;
}

/** Marks the facts. A symbol, so that no file and no server can state them. */
const FACTS: unique symbol = Symbol.for('pegboard.serverFacts');

/** Adds to the metadata of a tool that its words are those of a server. */
export function withServerFacts<M extends Partial<ToolMetadata>>(metadata: M, facts: ServerFacts): M {
  return { ...metadata, [FACTS]: facts };
}

/** What is known of a server's tool; `undefined` for tools of files and of code. */
export function serverFactsOf({ metadata }: Pick<Tool, 'metadata'>): ServerFacts | undefined {
  // Only `withServerFacts` writes under this symbol.
  return FACTS in metadata ? (metadata[FACTS] as ServerFacts) : undefined;
}

const shown = new WeakMap<object, ToolWords>();

/** A tool's words as models get them: those of a server without hidden characters, unless its entry keeps them. People see the tool itself. */
export function wordsForModel<T extends Pick<ToolWords, 'metadata' | 'inputSchema'>>(tool: T): T | ToolWords {
  const facts = serverFactsOf(tool);
  if (facts === undefined || facts.keepsHidden) return tool;
  let words = shown.get(tool);
  if (words === undefined) shown.set(tool, (words = strip(tool, facts)));
  return words;
}

function strip(tool: Pick<ToolWords, 'metadata' | 'inputSchema'> & Partial<ToolWords>, facts: ServerFacts): ToolWords {
  const { name, description, displayName, annotations } = tool.metadata;
  const { said } = facts;
  let schemas: Pick<Tool, 'inputSchema' | 'outputSchema'> | undefined;
  const read = (): Pick<Tool, 'inputSchema' | 'outputSchema'> => {
    const { inputSchema, outputSchema } = tool;
    return { inputSchema: stripSchema(inputSchema), outputSchema: outputSchema && stripSchema(outputSchema) };
  };
  const metadata = {
    ...tool.metadata,
    description: stripHidden(description).trim() || name,
    ...(displayName === undefined ? {} : { displayName: stripHidden(displayName).trim() || name }),
    ...(annotations?.title === undefined
      ? {}
      : { annotations: { ...annotations, title: stripHidden(annotations.title) } }),
  };
  const clean = {
    ...said,
    ...(said.description === undefined ? {} : { description: stripHidden(said.description) }),
    ...(said.inputSchema === undefined ? {} : { inputSchema: stripSchema(said.inputSchema) }),
    ...(said.outputSchema === undefined ? {} : { outputSchema: stripSchema(said.outputSchema) }),
  };
  return {
    metadata: withServerFacts(metadata, { ...facts, said: clean }),
    get inputSchema() {
      return (schemas ??= read()).inputSchema;
    },
    get outputSchema() {
      return (schemas ??= read()).outputSchema;
    },
  };
}

/** Keywords whose value is a text for readers. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'markdownDescription']);
/** Keywords whose values are data: a call must carry them as they are. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);
/** Keywords that hold schemas under names of the author's own. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** A schema whose titles and descriptions have no hidden characters: itself where they have none. Names and values stay. */
function stripSchema(schema: JsonSchema): JsonSchema {
  // An object stays one.
  return stripNode(schema, false) as JsonSchema;
}

function stripNode(node: unknown, isMap: boolean): unknown {
  if (Array.isArray(node)) {
    const items = node.map((item: unknown) => stripNode(item, false));
    return items.every((item, index) => item === node[index]) ? node : items;
  }
  if (!isPlainObject(node)) return node;
  let isSame = true;
  const entries = Object.entries(node).map(([key, value]) => {
    const next = isMap ? stripNode(value, false) : stripKeyword(key, value);
    isSame &&= next === value;
    return [key, next] as const;
  });
  return isSame ? node : Object.fromEntries(entries);
}

function stripKeyword(key: string, value: unknown): unknown {
  if (typeof value === 'string') return TEXTS.has(key) ? stripHidden(value) : value;
  return DATA.has(key) ? value : stripNode(value, MAPS.has(key));
}
