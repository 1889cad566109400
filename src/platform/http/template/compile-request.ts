import {
  compileBody,
  compileGraphql,
  compileMultipart,
  type GraphqlDefinition,
  type RenderParts,
} from './compile-body.ts';
import { type CompileOptions, createCompileContext, type RequestFault } from './template.ts';
import { renderEntries, toEntries } from './compile-entries.ts';
import { compileHeaders } from './compile-headers.ts';
import { compileUrl } from './compile-url.ts';
import type { TemplateArguments } from './fill-template.ts';
import type { HttpRequest } from '../http-messages.ts';

/** A request with placeholders, as written in a config file. */
export interface RequestDefinition {
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  /** A GraphQL request, instead of `body`. */
  readonly graphql?: GraphqlDefinition | undefined;
  /** Fields and files, instead of `body`. */
  readonly multipart?: Readonly<Record<string, unknown>> | undefined;
}

/** A request with compiled templates. */
export interface CompiledRequest {
  readonly method: string;
  /** Returns the request for one call. Throws a `ToolError` that names the argument at fault. */
  render(args: TemplateArguments): HttpRequest;
  /** Returns the fields and files that form the body of one call. */
  readonly parts: RenderParts | undefined;
}

/** A compiled request, or all faults in its definition. */
export type RequestCompilation =
  | { readonly ok: true; readonly request: CompiledRequest }
  | { readonly ok: false; readonly faults: readonly RequestFault[] };

const METHOD = /^[A-Za-z]{1,32}$/;
const REFUSED_METHODS = new Set(['CONNECT', 'TRACE']);

/**
 * Compiles a request's templates once, when the config is loaded.
 *
 * Each value is encoded for its place, so that it cannot change other parts of the request.
 */
export function compileRequest(definition: RequestDefinition, options: CompileOptions = {}): RequestCompilation {
  const context = createCompileContext(options);
  const method = (definition.method ?? 'GET').toUpperCase();
  if (!METHOD.test(method) || REFUSED_METHODS.has(method)) {
    const message = `is not a method that can be sent; got "${method}". Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.`;
    context.report(['method'], message);
  }
  const url = compileUrl(context.read(definition.url, ['url']), context, {
    allowHost: options.allowHostPlaceholders === true,
  });
  const query = [...url.query, ...toEntries(definition.query, ['query'], context)];
  const headers = compileHeaders(definition.headers, context);
  const { graphql } = definition;
  const body =
    graphql === undefined
      ? compileBody(definition.body, headers.mediaType, context)
      : compileGraphql(graphql, context.names, context);
  const parts = definition.multipart && compileMultipart(definition.multipart, context);
  if (context.faults.length > 0) return { ok: false, faults: context.faults };

  const render = (args: TemplateArguments): HttpRequest => {
    const search = renderEntries(query, args);
    const base = url.render(args);
    const sent = headers.render(args);
    const content = body?.render(args);
    if (content !== undefined && body !== undefined && !headers.hasContentType) sent['content-type'] = body.contentType;
    const isEmpty = content === undefined && body !== undefined;
    return {
      method,
      url: search === '' ? base : `${base}?${search}`,
      headers: isEmpty ? withoutContentType(sent) : sent,
      body: content,
    };
  };
  return { ok: true, request: { method, render, parts } };
}

/** Removes `Content-Type`: servers refuse a type without a body. */
function withoutContentType(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type'));
}
