import { describe, expect, it } from 'vitest';
import { parseRagToolConfig } from './rag-tool-config.ts';

const DOCS = { id: 'docs', description: 'The docs', collection: 'project-docs' };

describe('parseRagToolConfig', () => {
  it('has both operations and their names by default', () => {
    expect(parseRagToolConfig(DOCS)).toEqual({
      ...DOCS,
      operations: ['search', 'store'],
      hasSearch: true,
      hasStore: true,
      searchToolId: 'docs-search',
      storeToolId: 'docs-store',
    });
  });

  it('has only the named operations, each once', () => {
    expect(parseRagToolConfig({ ...DOCS, operations: ['search'] })).toMatchObject({ hasSearch: true, hasStore: false });
    expect(parseRagToolConfig({ ...DOCS, operations: ['store', 'store'] })).toMatchObject({
      operations: ['store'],
      hasSearch: false,
      hasStore: true,
    });
  });

  it.for([
    [undefined, 'id', 'RAG tool must have a non-empty id'],
    [{ ...DOCS, id: '' }, 'id', 'RAG tool must have a non-empty id'],
    [{ ...DOCS, id: 7 }, 'id', 'RAG tool must have a non-empty id'],
    [{ ...DOCS, description: '' }, 'description', 'RAG tool must have a non-empty description'],
    [{ ...DOCS, collection: undefined }, 'collection', 'RAG tool must specify a collection'],
    [{ ...DOCS, collection: ['a'] }, 'collection', 'RAG tool must specify a collection'],
    [{ ...DOCS, operations: 'search' }, 'operations', 'RAG tool operations must be an array'],
    [{ ...DOCS, operations: [] }, 'operations', 'RAG tool must have at least one operation'],
    [{ ...DOCS, operations: ['serch'] }, 'operations', 'Invalid RAG operation "serch". Valid: search, store'],
  ] as const)('refuses %j', ([data, field, message]) => {
    expect(() => parseRagToolConfig(data)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', field, message }),
    );
  });
});
