/** The functions of the host for an app in a frame. Each rejects with an `Error` whose message is sent to the app. */
export interface AppHost {
  callTool(params: Params): Promise<unknown>;
  readResource(params: Params): Promise<unknown>;
  /** Sets the height that the app requests. */
  resize(height: number): void;
  /** Called when the app is ready to receive its call. */
  ready(): void;
}

/** The connection to the app in a frame. */
export interface AppLine {
  notify(method: string, params: unknown): void;
  close(): void;
}

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

const METHOD_NOT_FOUND = -32601;
const REFUSED = -32000;
/** The supported revision of MCP Apps. */
const REVISION = '2026-01-26';

/**
 * Connects to the app in a frame with MCP Apps: JSON-RPC over `postMessage`. Accepts only messages of that frame's window; the app can
 * request tools, resources and its size, nothing else.
 */
export function openAppLine(frame: HTMLIFrameElement, host: AppHost): AppLine {
  // The document has an opaque origin, so no target origin can be named; the window is this frame's.
  const send = (message: object): void => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const handlers = requestHandlers(host);
  const answer = async (id: string | number, method: string, params: Params): Promise<void> => {
    const handler = handlers.get(method);
    if (handler === undefined) {
      send({ id, error: { code: METHOD_NOT_FOUND, message: `The inspector does not support "${method}".` } });
      return;
    }
    try {
      send({ id, result: await handler(params) });
    } catch (error) {
      send({ id, error: { code: REFUSED, message: error instanceof Error ? error.message : String(error) } });
    }
  };
  const receive = ({ source, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== frame.contentWindow || typeof data !== 'object' || data === null) return;
    const { id, method, params } = data as Message;
    // Ignores responses: the app is never asked anything.
    if (typeof method !== 'string') return;
    const given = typeof params === 'object' && params !== null ? (params as Params) : {};
    if (typeof id === 'string' || typeof id === 'number') void answer(id, method, given);
    else if (method === 'ui/notifications/initialized') host.ready();
    else if (method === 'ui/notifications/size-changed' && typeof given['height'] === 'number')
      host.resize(given['height']);
  };
  window.addEventListener('message', receive);
  return {
    notify: (method, params) => send({ method, params }),
    close: () => window.removeEventListener('message', receive),
  };
}

type RequestHandler = (params: Params) => unknown;

/** The handlers by method, in a map so that names such as `constructor` find nothing. */
function requestHandlers(host: AppHost): ReadonlyMap<string, RequestHandler> {
  const initialize: RequestHandler = () => ({
    protocolVersion: REVISION,
    hostInfo: { name: 'pegboard-inspector', version: '1.0.0' },
    hostCapabilities: { serverTools: {}, serverResources: {}, logging: {} },
    hostContext: {
      theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      platform: 'web',
      locale: navigator.language,
    },
  });
  return new Map<string, RequestHandler>([
    ['ui/initialize', initialize],
    ['ui/request-display-mode', () => ({ mode: 'inline' })],
    ['tools/call', (params) => host.callTool(params)],
    ['resources/read', (params) => host.readResource(params)],
    ['ping', () => ({})],
  ]);
}
