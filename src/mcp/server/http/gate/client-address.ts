import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ToolError } from '../../../../tool/tool-error.ts';
import { parseIpAddress } from '../../../../platform/http/ip-address.ts';

/** Returns the sender's address for counting: an IPv4 address, or the /64 network of an IPv6 one. */
export type ClientAddress = (request: IncomingMessage) => string;

/** Creates the reader of addresses. Only trusted proxies may name the client. Throws for invalid addresses. */
export function createClientAddress(trustedProxies: readonly string[] = []): ClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => toNetwork(socket.remoteAddress ?? '');
  const trusted = new BlockList();
  for (const text of trustedProxies) add(trusted, text);
  const isTrusted = (address: string): boolean => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return ({ socket, headers }) => {
    const remote = unmap(socket.remoteAddress ?? '');
    if (isIP(remote) === 0 || !isTrusted(remote)) return toNetwork(remote);
    const named = headers['x-forwarded-for'];
    const hops = (Array.isArray(named) ? named.join(',') : (named ?? '')).split(',').map((hop) => unmap(hop.trim()));
    // Each proxy appends the address it saw: everything before the last unknown address is only that sender's claim.
    const client = hops.findLast((hop) => isIP(hop) === 0 || !isTrusted(hop));
    return toNetwork(client !== undefined && isIP(client) !== 0 ? client : remote);
  };
}

function add(list: BlockList, text: string): void {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  const length = bits === undefined ? undefined : Number(bits);
  const most = version === 6 ? 128 : 32;
  const isFine = version !== 0 && (length === undefined || (Number.isInteger(length) && length >= 0 && length <= most));
  if (!isFine) {
    const message = `serve.trusted_proxies has "${text}". Use addresses or networks, as 127.0.0.1 or 10.0.0.0/8.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (length === undefined) list.addAddress(address, family);
  else list.addSubnet(address, length, family);
}

function unmap(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The owner of an IPv6 address can usually change to any other address in its /64 network. */
function toNetwork(address: string): string {
  const plain = unmap(address);
  const parsed = plain.includes(':') ? parseIpAddress(plain) : undefined;
  if (parsed === undefined) return plain;
  const groups = parsed.groups.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
