import type { z } from 'zod';
import { parseDuration } from '../../parse-units.ts';
import type { extraKeys } from '../schema.ts';

/** A GraphQL request. */
interface GraphqlSettings {
  readonly query: string;
  /** With templates; `undefined` for the arguments that the query declares. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operation: string | undefined;
}

/** The pagination of a response. Paths are dotted names. */
export interface PaginateSettings {
  readonly type: 'link' | 'cursor' | 'page' | 'offset';
  readonly items: string | undefined;
  readonly next: string | undefined;
  readonly more: string | undefined;
  /** The argument for the start. */
  readonly param: string;
  readonly first: number;
  readonly limit: number;
  readonly pages: number;
}

/** The collection of server-sent events. */
export interface StreamSettings {
  /** The name of the last event, or its data. */
  readonly until: string;
  readonly limit: number;
  /** Milliseconds to listen. Default: as long as the call may take. */
  readonly time: number | undefined;
}

/** Optional parts of a request for its body and its response. */
export interface RequestExtras {
  /** Fields and files, with templates. */
  readonly multipart?: Readonly<Record<string, unknown>> | undefined;
  readonly graphql?: GraphqlSettings | undefined;
  readonly paginate?: PaginateSettings | undefined;
  readonly stream?: StreamSettings | undefined;
  /** A JMESPath expression that selects the JSON for the model. */
  readonly select?: string | undefined;
}

type Written = { readonly [Key in keyof typeof extraKeys]?: z.input<(typeof extraKeys)[Key]> };

export function readExtras({ multipart, graphql, paginate, stream, select }: Written): RequestExtras {
  const { until = '[DONE]', limit = 1000, for: time } = typeof stream === 'object' ? stream : {};
  return {
    stream: stream && { until, limit, time: time === undefined ? undefined : parseDuration(time) },
    multipart,
    select,
    graphql: graphql && { query: graphql.query, variables: graphql.variables, operation: graphql.operation },
    paginate: paginate && {
      type: paginate.type,
      items: paginate.items,
      next: paginate.next,
      more: paginate.more,
      param: paginate.param ?? (paginate.type === 'link' ? 'next' : paginate.type),
      first: paginate.first ?? 1,
      limit: paginate.limit ?? 500,
      pages: paginate.pages ?? 20,
    },
  };
}
