import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** An operation of a knowledge tool. */
export type RagOperation = 'search' | 'store';

export const RAG_OPERATIONS: readonly RagOperation[] = ['search', 'store'];

/** A validated `type: rag` tool. */
export interface RagToolConfig {
  readonly id: string;
  readonly description: string;
  readonly collection: string;
  readonly operations: readonly RagOperation[];
  readonly hasSearch: boolean;
  readonly hasStore: boolean;
  /** The name of the search tool. */
  readonly searchToolId: string;
  /** The name of the store tool. */
  readonly storeToolId: string;
}

/** Reads a `type: rag` tool, or throws its first fault. */
export function parseRagToolConfig(data: unknown): RagToolConfig {
  const given = isPlainObject(data) ? data : {};
  const id = readText(given['id'], 'id', 'RAG tool must have a non-empty id');
  const description = readText(given['description'], 'description', 'RAG tool must have a non-empty description');
  const collection = readText(given['collection'], 'collection', 'RAG tool must specify a collection');
  const operations = readOperations(given['operations']);
  return {
    id,
    description,
    collection,
    operations,
    hasSearch: operations.includes('search'),
    hasStore: operations.includes('store'),
    searchToolId: `${id}-search`,
    storeToolId: `${id}-store`,
  };
}

function readText(value: unknown, field: string, message: string): string {
  if (typeof value !== 'string' || value === '') throw refuse(field, message);
  return value;
}

function readOperations(value: unknown): RagOperation[] {
  if (value === undefined || value === null) return [...RAG_OPERATIONS];
  if (!Array.isArray(value)) throw refuse('operations', 'RAG tool operations must be an array');
  const operations = value.map((item: unknown) => {
    const operation = RAG_OPERATIONS.find((known) => known === item);
    if (operation === undefined) {
      throw refuse('operations', `Invalid RAG operation "${String(item)}". Valid: ${RAG_OPERATIONS.join(', ')}`);
    }
    return operation;
  });
  if (operations.length === 0) throw refuse('operations', 'RAG tool must have at least one operation');
  return [...new Set(operations)];
}

function refuse(field: string, message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message, field, reason: message });
}
