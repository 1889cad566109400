import { isPlainObject } from '../../tool/json.ts';

/** The headers of an app's frame, and the addresses that were refused. */
export interface FramePolicy {
  /** The value of `content-security-policy`. */
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
