import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as numbers: 4 bytes, or 8 groups of 16 bits. */
export type IpAddress =
  | { readonly family: 4; readonly groups: readonly number[] }
  | { readonly family: 6; readonly groups: readonly number[] };

/** A CIDR block: all addresses that share their first `bits` bits. */
export interface IpRange {
  readonly address: IpAddress;
  readonly bits: number;
}

/** Parses an address, with or without brackets and zone; `undefined` when it is not an address. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIPv4(bare)) return { family: 4, groups: bare.split('.').map(Number) };
  const [address = ''] = bare.split('%', 1);
  if (!isIPv6(address)) return undefined;
  return { family: 6, groups: expandGroups(address) };
}

/** Parses a CIDR block such as `10.0.0.0/8` or `fd00::/8`. */
export function parseIpRange(text: string): IpRange | undefined {
  const [start = '', length = '', ...rest] = text.split('/');
  const address = parseIpAddress(start);
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const bits = Number(length);
  return bits <= (address.family === 4 ? 32 : 128) ? { address, bits } : undefined;
}

/** Returns true when a block contains an address. */
export function isInRange({ family, groups }: IpAddress, { address, bits }: IpRange): boolean {
  if (family !== address.family) return false;
  const width = family === 4 ? 8 : 16;
  return groups.every((group, index) => {
    const left = bits - index * width;
    if (left <= 0) return true;
    const ignored = Math.max(0, width - left);
    return group >> ignored === (address.groups[index] ?? 0) >> ignored;
  });
}

/** Returns the IPv4 address in the two groups from `index` on. */
function embeddedIpv4(groups: readonly number[], index: number): IpAddress {
  const bytes = [groups[index] ?? 0, groups[index + 1] ?? 0].flatMap((group) => [group >> 8, group & 0xff]);
  return { family: 4, groups: bytes };
}

function expandGroups(address: string): number[] {
  // An IPv4 tail counts as two groups.
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, (tail) => {
    const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = read(head);
  if (tail === undefined) return before;
  const after = read(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** Blocks outside the public internet, with their common names. */
const SPECIAL: readonly (readonly [kind: string, ...blocks: string[]])[] = [
  ['unspecified', '0.0.0.0/8', '::/128'],
  ['loopback', '127.0.0.0/8', '::1/128'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['carrier-grade NAT', '100.64.0.0/10'],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['reserved', '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', '100::/64', '2001::/23', '5f00::/16'],
  // These embed an IPv4 address. The network decides where such packets end up, so all are refused.
  ['tunnelled IPv4', '192.88.99.0/24', '::/96', '2002::/16', '64:ff9b:1::/48', '::ffff:0:0:0/96'],
];

/** IPv4-mapped addresses, and the well-known NAT64 prefix for public IPv4 addresses. */
const SAME_AS_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'];

/** Parsed with the first address, because most boards start without one. */
interface Blocks {
  readonly special: readonly { readonly kind: string; readonly range: IpRange }[];
  readonly sameAsIpv4: readonly IpRange[];
}
let known: Blocks | undefined;

function knownBlocks(): Blocks {
  known ??= {
    special: SPECIAL.flatMap(([kind, ...blocks]) => blocks.map((block) => ({ kind, range: toRange(block) }))),
    sameAsIpv4: SAME_AS_IPV4.map(toRange),
  };
  return known;
}

/** Names the kind of a special address, such as `loopback` or `private`; `undefined` for a public one. */
export function specialKind(address: IpAddress): string | undefined {
  const plain = unmapIpv4(address);
  return knownBlocks().special.find(({ range }) => isInRange(plain, range))?.kind;
}

/** Converts IPv4 addresses written as IPv6 to IPv4; returns others unchanged. */
export function unmapIpv4(address: IpAddress): IpAddress {
  return knownBlocks().sameAsIpv4.some((range) => isInRange(address, range))
    ? embeddedIpv4(address.groups, 6)
    : address;
}

function toRange(text: string): IpRange {
  const range = parseIpRange(text);
  if (range === undefined) throw new Error(`"${text}" is not a block of addresses.`);
  return range;
}
