import type { JsonSchema } from '../../tool/json.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { type CompiledRequest, compileRequest } from '../../platform/http/template/compile-request.ts';
import type { EntryStyle } from '../../platform/http/template/entry-styles.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { ApiAuth } from './auth/api-auth.ts';
import { createRequestAuth } from './auth/create-request-auth.ts';
import type { EntryFault, KindHost, ToolEntry } from '../kind.ts';
import { outputsFor } from '../outputs-for.ts';
import { toResult } from './http-result.ts';

/** Further attempts of a request that only reads, where the config says nothing. */
const RETRIES = 2;
/** Bytes of pictures and files that a result may have, where the config says nothing. */
const MAX_MEDIA = 10_485_760;

/** A request with templates. */
export interface RequestSettings {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly form: Readonly<Record<string, string>> | undefined;
  /** How lists and objects are written in the query and in a form, by the names of the entries. */
  readonly styles: Readonly<Record<string, EntryStyle>>;
  /** What lets it in; none where it goes to another host than the credentials are for. */
  readonly auth: ApiAuth | undefined;
}

/** Requests with templates. */
export interface HttpSettings {
  readonly schema: JsonSchema;
  readonly requests: readonly RequestSettings[];
  readonly redirects: 'same-origin' | 'any' | 'none';
  readonly allowHosts: readonly string[];
  /** What the file says for all tools, where the tool says nothing else. */
  readonly fileAuth: ApiAuth | undefined;
}

/** An entry with `type: http`. */
export type HttpEntry = ToolEntry<HttpSettings>;

/** Compiles the requests of an entry, or tells what is wrong with them. */
export function compileHttp(settings: HttpSettings): { requests: CompiledRequest[]; faults: EntryFault[] } {
  const requests: CompiledRequest[] = [];
  const faults: EntryFault[] = [];
  for (const [index, { form, styles, auth: _, ...definition }] of settings.requests.entries()) {
    const headers = form === undefined ? definition.headers : withForm(definition.headers);
    const compiled = compileRequest(
      { ...definition, headers, body: form ?? definition.body },
      { schema: settings.schema, styles },
    );
    if (compiled.ok) requests.push(compiled.request);
    else faults.push(...compiled.faults.map(({ path, message }) => ({ path: ['requests', index, ...path], message })));
  }
  return { requests, faults };
}

function withForm(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
}

/** Makes a tool of requests with templates. They are sent in order and stop at the first failure. */
export function httpTool(entry: HttpEntry, host: KindHost): Tool {
  const { metadata, settings } = entry;
  const { requests } = compileHttp(settings);
  const client = host.httpClient(settings.allowHosts);
  const { outputs } = host;
  const { maxMedia = MAX_MEDIA } = metadata;
  const auths = settings.requests.map(({ auth, url }) => auth && createRequestAuth(auth, url));
  return defineTool({
    ...metadata,
    schema: settings.schema,
    // Sending again is the client's own matter: it knows which requests may be sent twice.
    retries: 0,
    execute: async (input, context) => {
      let result: ToolResult | undefined;
      for (const [index, request] of requests.entries()) {
        const outcome = await sendRequest(request.render(input), {
          client,
          signal: context.signal,
          timeout: metadata.timeout,
          maxBytes: metadata.maxOutput,
          media: { maxBytes: maxMedia, keep: outputs && (() => outputsFor(context, outputs).create()) },
          redirects: settings.redirects,
          retries: metadata.retries ?? RETRIES,
          repeats: metadata.risk === 'read' ? 'all' : metadata.retries === undefined ? 'reads' : 'idempotent',
          auth: auths[index],
        });
        result = toResult(outcome, maxMedia);
        if (result.failed()) return result;
      }
      return result ?? ToolResult.text('(no output)');
    },
  });
}
