import { isPlainObject, type JsonSchema } from './json.ts';
import { stripHidden } from './texts/reveal-hidden.ts';
import type { ToolMetadata } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** The part of a tool that listings and exporters read. */
export type ToolWords = Pick<Tool, 'metadata' | 'inputSchema' | 'outputSchema'>;

/** A server's original texts about its tool, if the tool on the board differs. MCP clients get the original. */
interface ServerTexts {
  /** With surrounding blanks. */
  readonly description?: string;
  /** Schemas that the board can check only in part. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Execution details of the server, such as `taskSupport`. */
  readonly execution?: Readonly<Record<string, unknown>>;
}

/** Facts about a tool of another MCP server. */
export interface ServerFacts {
  /** True when its title is for listings, which one in its annotations alone is not. */
  readonly hasTitle: boolean;
  /** True when the board's config states its risk. */
  readonly hasRisk: boolean;
  /** True when models get its texts and results with hidden characters. */
  readonly keepsHidden: boolean;
  readonly said: ServerTexts;
}

/** Marks the facts. A symbol, so that no file or server can set them. */
const FACTS: unique symbol = Symbol.for('pegboard.serverFacts');

/** Adds to a tool's metadata that its texts come from a server. */
export function withServerFacts<M extends Partial<ToolMetadata>>(metadata: M, facts: ServerFacts): M {
  return { ...metadata, [FACTS]: facts };
}

/** Returns the facts about a server's tool; `undefined` for tools of files and code. */
export function serverFactsOf({ metadata }: Pick<Tool, 'metadata'>): ServerFacts | undefined {
  // Only `withServerFacts` writes this symbol.
  return FACTS in metadata ? (metadata[FACTS] as ServerFacts) : undefined;
}

const shown = new WeakMap<object, ToolWords>();

/**
 * Returns a tool's texts for models: those of a server without hidden characters, unless its entry keeps them. People see the original
 * tool.
 */
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

/** Keywords with texts for readers. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'markdownDescription']);
/** Keywords with data, which calls must contain unchanged. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);
/** Keywords that contain schemas under the author's own names. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Removes hidden characters from titles and descriptions of a schema. Names and values stay. */
function stripSchema(schema: JsonSchema): JsonSchema {
  // An object stays an object.
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
