import type { JsonSchema } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { type CompiledRequest, compileRequest } from '../../platform/http/template/compile-request.ts';
import type { EntryStyle } from '../../platform/http/template/entry-styles.ts';
import type { HttpOutcome } from '../../platform/http/http-messages.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { EntryFault, KindHost, ToolEntry } from '../kind.ts';

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
}

/** Requests with templates. */
export interface HttpSettings {
  readonly schema: JsonSchema;
  readonly requests: readonly RequestSettings[];
  readonly redirects: 'same-origin' | 'any' | 'none';
  readonly allowHosts: readonly string[];
}

/** An entry with `type: http`. */
export type HttpEntry = ToolEntry<HttpSettings>;

/** Compiles the requests of an entry, or tells what is wrong with them. */
export function compileHttp(settings: HttpSettings): { requests: CompiledRequest[]; faults: EntryFault[] } {
  const requests: CompiledRequest[] = [];
  const faults: EntryFault[] = [];
  for (const [index, { form, styles, ...definition }] of settings.requests.entries()) {
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
  return defineTool({
    ...metadata,
    schema: settings.schema,
    // Sending again is the client's own matter: it knows which requests may be sent twice.
    retries: 0,
    execute: async (input, context) => {
      let result: ToolResult | undefined;
      for (const request of requests) {
        const outcome = await sendRequest(request.render(input), {
          client,
          signal: context.signal,
          timeout: metadata.timeout,
          maxBytes: metadata.maxOutput,
          redirects: settings.redirects,
          retries: metadata.retries,
        });
        result = toResult(outcome);
        if (result.failed()) return result;
      }
      return result ?? ToolResult.text('(no output)');
    },
  });
}

function toResult(outcome: HttpOutcome): ToolResult {
  const { status, body, ok, url } = outcome;
  const text = body.type === 'json' || body.type === 'text' ? body.text : body.type === 'binary' ? '[binary]' : '';
  if (!ok) {
    const message = `The server answered ${status} at ${url}${text === '' ? '' : `: ${text.slice(0, 2000)}`}`;
    const recoverable = status === 429 || status >= 500;
    return ToolResult.error(
      new ToolError({ code: status >= 500 ? 'upstream_unavailable' : 'execution_failed', message, recoverable }),
    ).with({ meta: { status } });
  }
  const meta = { status, ...(outcome.notices.length === 0 ? {} : { notices: outcome.notices }) };
  if (body.type === 'binary') {
    const { mimeType, base64 } = body;
    const block = mimeType.startsWith('image/')
      ? ({ type: 'image', data: base64, mimeType } as const)
      : ({ type: 'resource', resource: { uri: url, mimeType, blob: base64 } } as const);
    return ToolResult.content([{ type: 'text', text: `[${mimeType}]` }, block]).with({ meta });
  }
  const data = body.type === 'json' ? body.value : undefined;
  return ToolResult.from({ text: text === '' ? `(no content, status ${status})` : text, data, meta });
}
