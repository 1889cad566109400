import { describeValue } from '../../tool/texts/describe-value.ts';
import { ToolError } from '../../tool/tool-error.ts';
import {
  type IpAddress,
  isInRange,
  type IpRange,
  parseIpAddress,
  parseIpRange,
  specialKind,
  unmapIpv4,
} from './ip-address.ts';

/** Options that extend requests beyond the public internet. */
export interface EgressOptions {
  /** Host names, `host:port`, addresses, or CIDR blocks such as `10.0.0.0/8`. */
  readonly allow?: readonly string[];
}

/** The requested host name and port of a connection. */
export interface EgressTarget {
  readonly hostname: string;
  readonly port: number;
}

/** Decides which servers requests may reach. */
export interface EgressPolicy {
  /**
   * Refuses a URL for its scheme, or for an address or `localhost` in it. Other names are checked after resolution.
   */
  checkUrl(url: URL): ToolError | undefined;
  /** Refuses an address that a name resolved to or a socket is connected to. */
  checkAddress(address: string, target: EgressTarget): ToolError | undefined;
}

/** Names that always resolve to loopback (RFC 6761). */
const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i;

type Allowed =
  | { readonly type: 'name'; readonly hostname: string; readonly port: number | undefined }
  | { readonly type: 'range'; readonly range: IpRange; readonly port: number | undefined };

/**
 * Creates the policy that limits requests to the public internet.
 *
 * Refuses loopback, private, link-local and other special addresses unless `allow` names the host or the address.
 * Throws for an invalid entry of `allow`.
 */
export function createEgressPolicy({ allow = [] }: EgressOptions = {}): EgressPolicy {
  const allowed = allow.map(parseAllowed);
  const isAllowed = (address: IpAddress, { hostname, port }: EgressTarget): boolean => {
    const name = toHostname(hostname);
    const plain = unmapIpv4(address);
    return allowed.some((entry) => {
      if ((entry.port ?? port) !== port) return false;
      return entry.type === 'name'
        ? entry.hostname === name
        : isInRange(address, entry.range) || isInRange(plain, entry.range);
    });
  };
  const checkAddress = (text: string, target: EgressTarget): ToolError | undefined => {
    const address = parseIpAddress(text);
    const kind = address === undefined ? 'unreadable' : specialKind(address);
    if (kind === undefined || (address !== undefined && isAllowed(address, target))) return undefined;
    return refuse(text, kind, target);
  };
  return {
    checkAddress,
    checkUrl: (url) => {
      const { protocol, hostname } = url;
      if (protocol !== 'http:' && protocol !== 'https:') {
        const message = `The scheme "${protocol}" is not allowed in a request. Use http: or https:.`;
        return new ToolError({ code: 'permission_denied', message });
      }
      const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
      // The URL parser has normalized unusual spellings of an address.
      const isAddress = parseIpAddress(hostname.replace(/\.$/, '')) !== undefined;
      const places = isAddress ? [hostname] : LOCAL_NAME.test(hostname) ? ['127.0.0.1', '::1'] : [];
      const refusals = places.map((place) => checkAddress(place, { hostname, port }));
      return refusals.includes(undefined) ? undefined : refusals[0];
    },
  };
}

/** The part of a refusal that only applies to requests of tools. */
export const ALL_TOOLS = ', or of http: in its file for all its tools';

function refuse(address: string, kind: string, { hostname, port }: EgressTarget): ToolError {
  const name = toHostname(hostname);
  const isAddress = parseIpAddress(name) !== undefined;
  const where = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  return new ToolError({
    code: 'permission_denied',
    message:
      `Requests to ${where}${isAddress ? '' : ` (${address})`} are not allowed: the address is ${kind}, not public. ` +
      `To permit it, add "${where}" to allow_hosts of the tool${ALL_TOOLS}.`,
  });
}

/** Parses `10.0.0.0/8`, `host`, `host:port`, `1.2.3.4`, `[::1]:80` or `::1`. */
function parseAllowed(entry: string): Allowed {
  const range = parseIpRange(entry);
  if (range !== undefined) return { type: 'range', range, port: undefined };
  const text = parseIpAddress(entry)?.family === 6 && !entry.startsWith('[') ? `[${entry}]` : entry;
  const url = /[\s/?#@\\*]/.test(text) ? null : URL.parse(`http://${text}`);
  if (url === null) {
    const message = `The egress allow list cannot contain ${describeValue(entry)}. Use a host, host:port, an address or a block such as 10.0.0.0/8.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'allow' });
  }
  // Reads the port from the text, because URL drops the default port of a scheme.
  const digits = /:(\d+)$/.exec(text.replace(/^\[.*\]/, ''))?.[1];
  const port = digits === undefined ? undefined : Number(digits);
  const address = parseIpAddress(url.hostname);
  if (address === undefined) return { type: 'name', hostname: toHostname(url.hostname), port };
  return { type: 'range', range: { address, bits: address.family === 4 ? 32 : 128 }, port };
}

/** Normalizes a host name for comparison: lower case, no brackets, no final dot. */
function toHostname(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}
