import { createHash } from 'node:crypto';
import type { RequestError } from '../../protocol/json-rpc.ts';
import { invalidParams } from '../../protocol/json-rpc.ts';
import type { Era } from '../../protocol/mcp-names.ts';

/** A list that is formatted once and sent page by page. */
export interface PagedList {
  /** Returns the result for a cursor as JSON. Throws `invalid params` for a cursor of another list. */
  page(cursor: unknown, reader: PageReader): string;
}

interface PageReader {
  readonly era: Era;
  /** True when all callers get the same list, so that caches may share it. */
  readonly isPublic: boolean;
}

interface PagedListOptions {
  readonly field: string;
  readonly pageSize: number;
  readonly ttl: number;
}

/** Formats a list of JSON texts. Equal lists have equal pages and cursors, also after a restart. */
export function createPagedList(items: readonly string[], options: PagedListOptions): PagedList {
  const { field, pageSize, ttl } = options;
  const pages = new Map<string, string>();
  let hash: string | undefined;
  const version = (): string =>
    (hash ??= createHash('sha256').update(items.join('\n')).digest('base64url').slice(0, 12));

  const write = (offset: number, { era, isPublic }: PageReader): string => {
    const shown = items.slice(offset, offset + pageSize).join(',');
    const next =
      offset + pageSize < items.length
        ? `,"nextCursor":"${Buffer.from(`${version()}:${offset + pageSize}`).toString('base64url')}"`
        : '';
    const cache = era === 'modern' ? `,"ttlMs":${ttl},"cacheScope":"${isPublic ? 'public' : 'private'}"` : '';
    return `{"${field}":[${shown}]${next}${cache}}`;
  };

  return {
    page(cursor, reader) {
      const offset = cursor === undefined ? 0 : readCursor(cursor, version());
      // Pages are cached, so offsets must match a cursor of this list.
      if (offset % pageSize !== 0 || (offset > 0 && offset >= items.length)) throw refuse();
      const key = `${reader.era}:${reader.isPublic}:${offset}`;
      let text = pages.get(key);
      if (text === undefined) pages.set(key, (text = write(offset, reader)));
      return text;
    },
  };
}

function readCursor(cursor: unknown, version: string): number {
  const [given, offset] = Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64url')
    .toString()
    .split(':');
  if (given === version && /^\d{1,9}$/.test(offset ?? '')) return Number(offset);
  throw refuse();
}

function refuse(): RequestError {
  return invalidParams(
    'The cursor is not one of this list, or the list has changed since. Start again without a cursor.',
  );
}
