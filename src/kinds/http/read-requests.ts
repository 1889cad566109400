import type { z } from 'zod';
import type { EntryStyle } from '../../platform/http/template/template.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { ReadContext, ToolEntry } from '../kind.ts';
import { parseDuration, toTexts } from '../parse-units.ts';
import { toObjectSchema } from '../run/commands-settings.ts';
import { type ApiAuth, findFault, noteSecrets, originOf } from './auth/api-auth.ts';
import type { extraKeys, httpKeys, httpSection } from './schema.ts';

type WrittenTool = z.input<typeof httpKeys>;
/** The settings of a file or a tool for all its requests. */
type Common = z.input<typeof httpSection>;

/** Settings already checked, for each reading of a file. */
const checked = new WeakSet<Common>();

/** Creates the settings of an http tool: its own keys win over those of its file. */
export function readRequests(written: WrittenTool, context: ReadContext): HttpSettings {
  // Validated with the file.
  const file = (context.section ?? {}) as Common;
  for (const level of [file, written]) {
    // Faults of a file are reported once, not for each of its tools.
    if (checked.has(level)) continue;
    checked.add(level);
    noteSecrets(level.auth, context);
    const fault = findFault(level.auth);
    if (fault !== undefined)
      context.addError(level === file ? [] : ['auth'], level === file ? `http.auth of this file ${fault}` : fault);
  }
  const base = written.base_url ?? file.base_url;
  return {
    schema: toObjectSchema(written.schema),
    requests: written.requests.map((request) => {
      const url = toAbsolute(request.url, base);
      const common = [file, written].filter((level) => isFor(level, url));
      return {
        url,
        method: (request.method ?? ((request.graphql ?? request.multipart) ? 'POST' : 'GET')).toUpperCase(),
        headers: mergeHeaders([...common.map(({ headers }) => toTexts(headers)), toTexts(request.headers)]),
        query: request.query ?? {},
        body: request.body,
        form: request.form === undefined ? undefined : toTexts(request.form),
        styles: request.styles ?? {},
        ...readExtras(request),
        auth: written.auth === undefined || isFor(written, url) ? chooseAuth(common) : undefined,
      };
    }),
    redirects: written.redirects ?? 'same-origin',
    idempotencyHeader: written.idempotency_header,
    uploadFrom: written.upload_from,
    outputSchema: written.output?.schema,
    allowHosts: written.allow_hosts ?? file.allow_hosts ?? [],
    fileAuth: written.auth === undefined && file.auth?.type !== 'none' ? file.auth : undefined,
  };
}

/** Headers and credentials apply to the `base_url` beside them only. */
function isFor({ base_url: base }: Common, url: string): boolean {
  return base === undefined || originOf(base) === originOf(url);
}

function chooseAuth(levels: readonly Common[]): ApiAuth | undefined {
  const auth = levels.findLast((level) => level.auth !== undefined)?.auth;
  return auth === undefined || auth.type === 'none' ? undefined : auth;
}

/** Resolves an address without a host against `base`. */
function toAbsolute(url: string, base: string | undefined): string {
  if (base === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  const start = base.replace(/\/+$/, '');
  return /^[/?]/.test(url) ? start + url : `${start}/${url}`;
}

/** Merges headers; later ones win, ignoring case. Two spellings at one level stay, and are reported as a fault. */
function mergeHeaders(levels: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  let merged: Record<string, string> = {};
  for (const level of levels) {
    const names = new Set(Object.keys(level).map((name) => name.toLowerCase()));
    const kept = Object.entries(merged).filter(([name]) => !names.has(name.toLowerCase()));
    merged = { ...Object.fromEntries(kept), ...level };
  }
  return merged;
}

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
interface RequestExtras {
  /** Fields and files, with templates. */
  readonly multipart?: Readonly<Record<string, unknown>> | undefined;
  readonly graphql?: GraphqlSettings | undefined;
  readonly paginate?: PaginateSettings | undefined;
  readonly stream?: StreamSettings | undefined;
  /** A JMESPath expression that selects the JSON for the model. */
  readonly select?: string | undefined;
}

type Written = { readonly [Key in keyof typeof extraKeys]?: z.input<(typeof extraKeys)[Key]> };

function readExtras({ multipart, graphql, paginate, stream, select }: Written): RequestExtras {
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

export interface RequestSettings extends RequestExtras {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly form: Readonly<Record<string, string>> | undefined;
  /** The notation of lists and objects in the query and in a form, by entry name. */
  readonly styles: Readonly<Record<string, EntryStyle>>;
  /** Its credentials; none if it goes to another host than they are for. */
  readonly auth: ApiAuth | undefined;
}

export interface HttpSettings {
  readonly schema: JsonSchema;
  readonly requests: readonly RequestSettings[];
  readonly redirects: 'same-origin' | 'any' | 'none';
  readonly allowHosts: readonly string[];
  readonly idempotencyHeader: string | undefined;
  /** The folder that must contain files to send. Default: the working directory of the board. */
  readonly uploadFrom: string | undefined;
  readonly outputSchema: JsonSchema | undefined;
  /** The file's credentials for all tools, unless the tool has its own. */
  readonly fileAuth: ApiAuth | undefined;
}

export type HttpEntry = ToolEntry<HttpSettings>;
