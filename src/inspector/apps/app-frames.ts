import { randomBytes } from 'node:crypto';
import { findForPage, pageOf, placeOf } from '../../tool/app-pages.ts';
import { withPage } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { isServedTool } from '../../tool/tool-marks.ts';
import type { OfferRequest } from '../../tool/offers.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import type { AppFrame } from '../api-types.ts';

/** The document of a frame with its headers. */
interface FrameDocument {
  readonly html: string;
  readonly policy: string;
  readonly connections: string;
}

interface OpenFrame {
  readonly page: string;
  /** The server or file of its tool, which is all that the app may use. */
  readonly place: string;
  readonly isServed: boolean;
  /** Sent only once, so that nothing else can load it later. */
  document: FrameDocument | undefined;
  running: number;
}

const MOST_FRAMES = 50;
/** The number of parallel calls of one app. */
const MOST_CALLS = 8;

/**
 * The apps (MCP Apps) on the page. The document of each is sent once, and each may call tools and read resources only of its own
 * server: through the pipeline, with the app as the caller.
 */
export class AppFrames {
  readonly #board: BoardParts;
  /** Metadata of the calls of the page. */
  readonly #context: Readonly<Record<string, unknown>>;
  readonly #frames = new Map<string, OpenFrame>();

  constructor(board: BoardParts, context: Readonly<Record<string, unknown>>) {
    this.#board = board;
    this.#context = context;
  }

  /** Reads the page of a tool and prepares it for a frame. Throws a `ToolError` if there is none. */
  async open(tool: Tool): Promise<AppFrame> {
    const { name, _meta } = tool.metadata;
    const page = pageOf(_meta);
    if (page === undefined || !/^ui:/i.test(page)) throw notFound(`The tool "${name}" has no app.`);
    const place = placeOf(tool);
    const frame: OpenFrame = { page, place, isServed: isServedTool(tool), document: undefined, running: 0 };
    const { html, ui } = await this.#readPage(frame);
    const { header, connections, refused } = framePolicy(isPlainObject(ui) ? ui['csp'] : undefined);
    frame.document = { html: this.#board.registry.executor.redactor.text(html), policy: header, connections };
    const id = randomBytes(24).toString('base64url');
    this.#frames.set(id, frame);
    const [oldest] = this.#frames.keys();
    if (this.#frames.size > MOST_FRAMES && oldest !== undefined) this.#frames.delete(oldest);
    return { id, page, place, refused };
  }

  /** Returns the document of a frame once, then `undefined`. */
  take(id: string): FrameDocument | undefined {
    const frame = this.#frames.get(id);
    const document = frame?.document;
    if (frame !== undefined) frame.document = undefined;
    return document;
  }

  /** Calls a tool for an app. Throws a `ToolError` for a tool that the app may not call. */
  async call(
    id: string,
    { name, args, signal }: { readonly name: unknown; readonly args: unknown; readonly signal: AbortSignal },
  ): Promise<ToolResult> {
    const frame = this.#find(id);
    const { registry } = this.#board;
    const found = typeof name === 'string' ? findForPage(registry.getAll(), name, frame.place) : undefined;
    if (found === undefined) {
      const message = `The app ${frame.page} may only call tools of "${frame.place}" that are for apps, and ${JSON.stringify(name)} is not one of them.`;
      throw new ToolError({ code: 'permission_denied', message });
    }
    if (frame.running >= MOST_CALLS) {
      const message = `The app ${frame.page} already has ${MOST_CALLS} calls running, the maximum. Wait for one to end.`;
      throw new ToolError({ code: 'permission_denied', message });
    }
    frame.running++;
    try {
      const context = this.#contextOf(frame);
      return await registry.call(found.tool.metadata.name, args ?? {}, { context, signal });
    } finally {
      frame.running--;
    }
  }

  /** Reads a resource for an app. Throws a `ToolError` if its server does not have it. */
  async read(id: string, uri: unknown): Promise<unknown> {
    const frame = this.#find(id);
    const found = typeof uri === 'string' ? await this.#board.offers?.read(uri, this.#requestOf(frame)) : undefined;
    if (found === undefined)
      throw notFound(`The app ${frame.page} has no access to a resource ${JSON.stringify(uri)}.`);
    return found;
  }

  #find(id: string): OpenFrame {
    const frame = this.#frames.get(id);
    if (frame === undefined) throw notFound('This app is no longer open. Call its tool again.');
    return frame;
  }

  async #readPage(frame: OpenFrame): Promise<{ readonly html: string; readonly ui: unknown }> {
    const { offers } = this.#board;
    const request = this.#requestOf(frame);
    const { contents } = (await offers?.read(frame.page, request)) ?? {};
    const found = Array.isArray(contents) ? contents.find((one: unknown) => isPlainObject(one) && isPage(one)) : [];
    if (!isPlainObject(found)) throw notFound(`The app ${frame.page} does not exist, or is not an HTML document.`);
    const { text, blob, _meta } = found;
    const html =
      typeof text === 'string' ? text : Buffer.from(typeof blob === 'string' ? blob : '', 'base64').toString('utf8');
    // The document's metadata takes precedence over the list's.
    const listed = offers?.resources(request).find(({ id }) => id === frame.page)?.listing['_meta'];
    const ui = [_meta, listed].flatMap((meta) =>
      isPlainObject(meta) && isPlainObject(meta['ui']) ? [meta['ui']] : [],
    );
    return { html, ui: ui[0] };
  }

  #requestOf(frame: OpenFrame): OfferRequest {
    const servers = new Set((this.#board.servers ?? []).map(({ name }) => name));
    return {
      context: new ToolContext(this.#contextOf(frame)),
      // Files of a board may share pages; a server shows only its own.
      allows: ({ source }) => (frame.isServed ? source === frame.place : !servers.has(source)),
    };
  }

  #contextOf({ page }: OpenFrame): Readonly<Record<string, unknown>> {
    return withPage(this.#context, page);
  }
}

function isPage({ mimeType, text, blob }: Readonly<Record<string, unknown>>): boolean {
  const hasContent = typeof text === 'string' || typeof blob === 'string';
  return hasContent && typeof mimeType === 'string' && /^text\/html\s*(?:;|$)/i.test(mimeType);
}

function notFound(message: string): ToolError {
  return new ToolError({ code: 'not_found', message });
}

/** The headers of an app's frame, and the addresses that were refused. */
interface FramePolicy {
  readonly header: string;
  /** The value of `connection-allowlist`: a content security policy does not cover WebRTC, through which an app could reach any address. */
  readonly connections: string;
  /** Addresses that the app requested but may not reach. */
  readonly refused: readonly string[];
}

/** A public host by name, optionally with a port: no address of this machine or network, nothing that could end a directive. */
const PUBLIC = /^(?:https|wss):\/\/(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}(?::\d{1,5})?$/i;
const LOCAL = /\.(?:localhost|local|internal|lan|home\.arpa)(?::\d+)?$/i;
const MOST = 50;

/**
 * Creates the content security policy of an app's document from the `ui.csp` that its server declares: allows only declared public
 * hosts. `sandbox` gives the document its own origin, however it is opened, without access to storage, cookies and pages of the
 * inspector.
 */
function framePolicy(declared: unknown): FramePolicy {
  const csp = isPlainObject(declared) ? declared : {};
  const refused: string[] = [];
  const hosts = (key: string): string[] => {
    const given = Array.isArray(csp[key]) ? csp[key] : [];
    return given.slice(0, MOST).flatMap((host: unknown) => {
      if (typeof host === 'string' && PUBLIC.test(host) && !LOCAL.test(host)) return [host];
      refused.push(String(host).slice(0, 200));
      return [];
    });
  };
  const orNone = (list: readonly string[]): string => (list.length === 0 ? "'none'" : list.join(' '));
  const [loaded, connected, framed] = [hosts('resourceDomains'), hosts('connectDomains'), hosts('frameDomains')];
  const assets = loaded.join(' ');
  const directives = [
    "default-src 'none'",
    `script-src 'unsafe-inline' blob: ${assets}`,
    `style-src 'unsafe-inline' ${assets}`,
    `img-src data: blob: ${assets}`,
    `font-src data: ${assets}`,
    `media-src data: blob: ${assets}`,
    `connect-src ${orNone(connected)}`,
    `frame-src ${orNone(framed)}`,
    `base-uri ${orNone(hosts('baseUriDomains'))}`,
    "object-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-forms',
  ];
  // WebSockets are matched by the address of their handshake.
  const reached = new Set(
    [...loaded, ...connected, ...framed].map((host) => `"${host.replace(/^wss:/i, 'https:')}/*"`),
  );
  return {
    header: directives.map((directive) => directive.trim()).join('; '),
    connections: `(${[...reached].join(' ')})`,
    refused: [...new Set(refused)],
  };
}
