import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ToolError } from '../../../../tool/tool-error.ts';
import { parseIpAddress } from '../../../../platform/http/ip-address.ts';

/** Tells where a request comes from, for counting: an IPv4 address, or the /64 network of an IPv6 one. */
export type ClientAddress = (request: IncomingMessage) => string;

/** Makes the reader of addresses. Only proxies that are trusted say for whom they ask. Throws for what is no address. */
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
    // Each proxy adds whom it saw at the end: what stands before the last stranger is only what that stranger says.
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

/** The /64 network of an IPv6 address: its owner can usually change to any other address in it. */
function toNetwork(address: string): string {
  const plain = unmap(address);
  const parsed = plain.includes(':') ? parseIpAddress(plain) : undefined;
  if (parsed === undefined) return plain;
  const groups = parsed.groups.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
