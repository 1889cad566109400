import { counted } from '../../../tool/texts/counted.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { ToolContext } from '../../../tool/tool-context.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { ToolResult } from '../../../tool/tool-result.ts';
import type { HttpOutcome, HttpRequest } from '../../../platform/http/http-messages.ts';
import type { PaginateSettings } from '../read-requests.ts';
import { randomBytes } from 'node:crypto';
import { outputOwnerOf } from '../../../tool/calls/call-owner.ts';
import { describeValue } from '../../../tool/texts/describe-value.ts';

type Values = Readonly<Record<string, unknown>>;

/** A call that joins pages. */
interface PagedCall {
  readonly settings: PaginateSettings;
  readonly input: Values;
  readonly context: ToolContext;
  /** Keeps links to further pages, which callers must not write. */
  readonly links: PageLinks;
  render(input: Values): HttpRequest;
  /** Sends it; returns the response, and the result if that is not JSON or a failure. */
  send(request: HttpRequest): Promise<{ outcome: HttpOutcome; result: ToolResult }>;
  /** Selects the data for the model from the items. */
  select(items: readonly unknown[]): unknown;
}

/** The most characters of JSON of all pages together. */
const MAX_JOINED = 16 * 1024 * 1024;

/** A page to request: its start as callers write it, and its request. */
interface Page {
  readonly start: unknown;
  readonly request: HttpRequest;
}

/** Requests page after page until there are no more, or enough, and returns their items as one list. */
export async function paginate(call: PagedCall): Promise<ToolResult> {
  const { settings, context } = call;
  const items: unknown[] = [];
  const seen = new Set<string>();
  let characters = 0;
  let last = '';
  let page: Page | undefined = firstPage(call);
  let stopped: string | undefined;
  for (let count = 1; page !== undefined; count++) {
    const answer: Awaited<ReturnType<typeof askPage>> = await askPage(call, page, count);
    if (answer.type === 'failed') {
      if (count === 1) return answer.result;
      stopped = `Page ${count} failed: ${answer.result.text.replace(/\.?$/, '.')}`;
      break;
    }
    const text = JSON.stringify(answer.items);
    if (count > 1 && answer.items.length > 0 && text === last) {
      stopped = 'The server sent the same page twice, so no further page was requested.';
      page = undefined;
      break;
    }
    last = text;
    for (const item of answer.items) items.push(item);
    characters += text.length;
    seen.add(`${page.request.url}\n${String(page.request.body ?? '')}`);
    context.progress(items.length, undefined, `page ${count}, ${counted(items.length, 'item')}`);
    context.putOffTimeout();
    const next = findNext(call, page, answer);
    if (typeof next === 'string') stopped = next;
    page = typeof next === 'object' ? next : undefined;
    if (page !== undefined && seen.has(`${page.request.url}\n${String(page.request.body ?? '')}`)) {
      stopped = 'The server links back to an earlier page, so no further page was requested.';
      page = undefined;
    }
    if (page !== undefined && (items.length >= settings.limit || count >= settings.pages || characters > MAX_JOINED)) {
      stopped = `These are the first ${items.length} items of more.`;
      break;
    }
  }
  const next = page === undefined ? undefined : toArgument(call, page);
  const advice =
    next === undefined ? [] : [`For the next ones call again with ${settings.param}: ${JSON.stringify(next)}.`];
  const note = stopped === undefined ? undefined : [stopped, ...advice].join(' ');
  const data = {
    items: call.select(items),
    ...(note === undefined ? {} : { note }),
    ...(next === undefined ? {} : { next }),
  };
  return ToolResult.json(data);
}

type PageAnswer =
  | { readonly type: 'failed'; readonly result: ToolResult }
  | {
      readonly type: 'page';
      readonly items: readonly unknown[];
      readonly value: unknown;
      readonly outcome: HttpOutcome;
    };

async function askPage(call: PagedCall, { request }: Page, count: number): Promise<PageAnswer> {
  const { settings, context } = call;
  try {
    const { outcome, result } = await call.send(request);
    if (result.failed()) return { type: 'failed', result };
    const value = result.data;
    const items = settings.items === undefined ? value : readPath(value, settings.items);
    if (Array.isArray(items)) return { type: 'page', items, value, outcome };
    return { type: 'failed', result: ToolResult.error(noList(settings.items, value)) };
  } catch (thrown) {
    // Partial data is worth more than an error, unless the caller has gone.
    if (count === 1 || context.signal.aborted || !(thrown instanceof ToolError) || thrown.code === 'cancelled')
      throw thrown;
    return { type: 'failed', result: ToolResult.error(thrown) };
  }
}

function noList(path: string | undefined, value: unknown): ToolError {
  const where = path === undefined ? 'The answer' : `"${path}" of the answer`;
  const keys = isPlainObject(value) ? ` The answer has: ${Object.keys(value).slice(0, 20).join(', ')}.` : '';
  const message = `${where} is not a list, so its pages cannot be joined.${keys} The operator of the tool must set paginate.items.`;
  return new ToolError({ code: 'execution_failed', message });
}

function firstPage(call: PagedCall): Page {
  const { settings, input, links, context } = call;
  const { type, param, first } = settings;
  const given = Object.hasOwn(input, param) ? (input[param] ?? undefined) : undefined;
  const request = call.render(input);
  if (type === 'link') {
    if (given === undefined) return { start: undefined, request };
    const url = links.find(given, context, new URL(request.url).origin);
    return { start: given, request: { ...request, url } };
  }
  if (type === 'cursor') return { start: given, request };
  const start = typeof given === 'number' ? given : type === 'page' ? first : 0;
  return { start, request: call.render({ ...input, [param]: start }) };
}

/** Returns the next page; `undefined` at the end, or a sentence if it cannot be requested. */
function findNext(
  call: PagedCall,
  page: Page,
  answer: PageAnswer & { readonly type: 'page' },
): Page | string | undefined {
  const { settings, input } = call;
  const { type, param, next: path } = settings;
  const { items, value, outcome } = answer;
  const more = settings.more === undefined ? undefined : readPath(value, settings.more);
  if (more === false || more === null) return undefined;
  if (type === 'link') {
    const link = path === undefined ? findLink(outcome.headers['link'], 'next') : readPath(value, path);
    if (typeof link !== 'string' || link === '') return undefined;
    const url = URL.parse(link, outcome.url);
    const { origin } = new URL(page.request.url);
    if (url === null) return 'The link to the next page cannot be read.';
    // A server reached by a redirect got no credentials, and must not choose requests that have them.
    const from = new URL(outcome.url).origin;
    if (from !== origin)
      return `The answer came from ${from}, so its link to the next page was not followed: ${from} must not choose requests to ${origin}.`;
    if (url.origin !== origin)
      return `The next page is at ${url.origin}, not at ${origin}, so it was not requested: it would receive data meant for ${origin}.`;
    url.username = '';
    url.password = '';
    url.hash = '';
    return { start: url.href, request: { ...page.request, url: url.href } };
  }
  if (type === 'cursor') {
    const cursor = path === undefined ? undefined : readPath(value, path);
    const isCursor = (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number';
    return isCursor ? { start: cursor, request: call.render({ ...input, [param]: cursor }) } : undefined;
  }
  if (items.length === 0) return undefined;
  const at = Number(page.start);
  const start = type === 'page' ? at + 1 : at + items.length;
  if (type === 'offset' && typeof more === 'number' && start >= more) return undefined;
  return { start, request: call.render({ ...input, [param]: start }) };
}

/** Returns the argument with which a caller starts at a page. */
function toArgument({ settings, links, context }: PagedCall, { start, request }: Page): unknown {
  return settings.type === 'link' ? links.keep(request.url, context) : start;
}

/** Returns the value at a dotted path; a number is an index of a list. */
function readPath(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    // The key exists.
    at = (at as Values)[name];
  }
  return at;
}

/** Links to further pages from servers, for the callers that may follow them. */
interface PageLinks {
  /** Stores a link and returns its id. */
  keep(url: string, context: ToolContext): string;
  /** Returns the link. Throws `invalid_arguments` for an id that this caller did not get. */
  find(id: unknown, context: ToolContext, origin: string): string;
}

const MAX_LINKS = 1000;

/**
 * Keeps links for one tool. A caller gets an id and never sends an address: with the tool's credentials it could request anything
 * there.
 */
export function createPageLinks(param: string): PageLinks {
  const links = new Map<string, { readonly url: string; readonly owner: string | undefined }>();
  return {
    keep(url, context) {
      const id = randomBytes(12).toString('base64url');
      links.set(id, { url, owner: outputOwnerOf(context) });
      const [oldest] = links.keys();
      if (links.size > MAX_LINKS && oldest !== undefined) links.delete(oldest);
      return id;
    },
    find(id, context, origin) {
      const found = links.get(String(id));
      if (found !== undefined && found.owner === outputOwnerOf(context) && URL.parse(found.url)?.origin === origin)
        return found.url;
      const reason = 'is not one that an earlier answer gave, or is too old';
      const message = `Argument "${param}" ${reason}; got ${describeValue(id)}. Leave it out to begin with the first page.`;
      throw new ToolError({ code: 'invalid_arguments', message, field: param, reason });
    },
  };
}

/** Finds the target of a relation such as `next` in a `Link` header. */
function findLink(header: string | readonly string[] | undefined, relation: string): string | undefined {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  for (let from = text.indexOf('<'); from !== -1;) {
    const to = text.indexOf('>', from);
    if (to === -1) return undefined;
    const end = endOfLink(text, to + 1);
    const rels = /(?:^|;)\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(text.slice(to + 1, end));
    const names = (rels?.[1] ?? rels?.[2] ?? '').toLowerCase().split(/\s+/);
    if (names.includes(relation)) return text.slice(from + 1, to).trim();
    from = text.indexOf('<', end);
  }
  return undefined;
}

/** Finds the comma that ends a link, ignoring quoted ones. */
function endOfLink(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ',' && !isQuoted) return at;
  }
  return text.length;
}
