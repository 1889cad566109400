import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { type CompiledRequest, compileRequest } from '../../platform/http/template/compile-request.ts';
import type { EntryFault } from '../kind.ts';
import type { HttpSettings, RequestSettings } from './read-requests.ts';

/** A compiled request with the handling of its response. */
interface HttpStep extends CompiledRequest {
  readonly settings: RequestSettings;
}

/** Compiles the requests of an entry, and collects their faults. */
export function compileHttp(settings: HttpSettings): { requests: HttpStep[]; faults: EntryFault[] } {
  const requests: HttpStep[] = [];
  const faults: EntryFault[] = [];
  const schema = toInputSchema(settings);
  for (const [index, written] of settings.requests.entries()) {
    const { form, styles, auth: _, ...definition } = addPageParam(written);
    const { graphql, multipart, paginate: pages } = definition;
    const report = (path: EntryFault['path'], message: string): void =>
      void faults.push({ path: ['requests', index, ...path], message });
    if (graphql !== undefined && (form !== undefined || definition.body !== undefined || definition.method !== 'POST'))
      report(['graphql'], 'is sent as the body of a POST. Leave out body and form, and any other method.');
    if (multipart !== undefined && [form, definition.body, graphql, pages, headerOf(definition.headers)].some(isGiven))
      report(['multipart'], 'is the whole body. Leave out body, form, graphql, paginate and the header Content-Type.');
    if (multipart !== undefined && /^(?:GET|HEAD)$/.test(definition.method))
      report(['method'], 'must be POST, PUT or PATCH: a GET has no body.');
    if (pages !== undefined && definition.stream !== undefined)
      report(['stream'], 'cannot be combined with paginate: events have no pages.');
    if (pages?.type === 'cursor' && pages.next === undefined)
      report(['paginate'], 'needs next: where the cursor of the next page is in an answer, such as meta.next_cursor.');
    const headers = form === undefined ? definition.headers : withForm(definition.headers);
    const compiled = compileRequest({ ...definition, headers, body: form ?? definition.body }, { schema, styles });
    if (compiled.ok) requests.push({ ...compiled.request, settings: written });
    else for (const { path, message } of compiled.faults) report(path, message);
  }
  return { requests, faults };
}

/** Returns the schema of the tool's arguments, including those for the start of pages. */
export function toInputSchema({ schema, requests }: HttpSettings): JsonSchema {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const added = requests.flatMap(({ paginate: pages }) => {
    if (pages === undefined || Object.hasOwn(properties, pages.param)) return [];
    const description = 'The start: the "next" value of an earlier result. Omit it for the first page';
    const isNumber = pages.type === 'page' || pages.type === 'offset';
    return [[pages.param, isNumber ? { type: 'integer', minimum: 0, description } : { type: 'string', description }]];
  });
  return added.length === 0 ? schema : { ...schema, properties: { ...properties, ...Object.fromEntries(added) } };
}

/** Adds the page argument to the query if it is used nowhere else. */
function addPageParam(request: RequestSettings): RequestSettings {
  const { paginate: pages, graphql } = request;
  if (pages === undefined || pages.type === 'link') return request;
  const { url, headers, query, body, form, multipart } = request;
  const templates = JSON.stringify([url, headers, query, body, form, multipart, graphql?.variables]);
  const isPlaced = templates.includes(`{{${pages.param}}}`) || templates.includes(`{{${pages.param}:-`);
  const isDeclared =
    graphql !== undefined && graphql.variables === undefined && graphql.query.includes(`$${pages.param}`);
  return isPlaced || isDeclared ? request : { ...request, query: { ...query, [pages.param]: `{{${pages.param}}}` } };
}

export const isGiven = (value: unknown): boolean => value !== undefined;

function headerOf(headers: RequestSettings['headers']): string | undefined {
  return Object.keys(headers).find((name) => name.toLowerCase() === 'content-type');
}

function withForm(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
}
