import { isPlainObject } from '../../tool/json.ts';

/** What the frame of an app is sent with, and what was not granted to it. */
export interface FramePolicy {
  /** The value of `content-security-policy`. */
  readonly header: string;
  /** The value of `connection-allowlist`: a content security policy says nothing about WebRTC, by which an app would reach any address. */
  readonly connections: string;
  /** Addresses that the app asked for and does not get. */
  readonly refused: readonly string[];
}

/** A public host by its name, perhaps with a port: no address of this machine or its network, nothing that could end a directive. */
const PUBLIC = /^(?:https|wss):\/\/(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}(?::\d{1,5})?$/i;
const LOCAL = /\.(?:localhost|local|internal|lan|home\.arpa)(?::\d+)?$/i;
const MOST = 50;

/**
 * The content security policy of an app's document, from the `ui.csp` that its server declares: nothing but what is declared, and of
 * that only public hosts. `sandbox` gives the document an origin of its own, however it is opened: it reaches no storage, no cookie
 * and no page of the inspector.
 */
export function framePolicy(declared: unknown): FramePolicy {
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
