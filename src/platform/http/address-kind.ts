import { embeddedIpv4, type IpAddress, type IpRange, isInRange, parseIpRange } from './ip-address.ts';

/** Blocks that are not the public internet, with what people call them. */
const SPECIAL: readonly (readonly [kind: string, ...blocks: string[]])[] = [
  ['unspecified', '0.0.0.0/8', '::/128'],
  ['loopback', '127.0.0.0/8', '::1/128'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['carrier-grade NAT', '100.64.0.0/10'],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['reserved', '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', '100::/64', '2001::/23', '5f00::/16'],
  // An IPv4 address travels inside: where such a packet ends up is for the network to say, so none passes.
  ['tunnelled IPv4', '192.88.99.0/24', '::/96', '2002::/16', '64:ff9b:1::/48', '::ffff:0:0:0/96'],
];

/** Another spelling of an IPv4 address, and the one gateway whose addresses stand for public IPv4 addresses. */
const SAME_AS_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'];

/** Read with the first address: most boards start without meeting one. */
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

/** What an address is when it is not public: `loopback`, `private` and so on; `undefined` for a public one. */
export function specialKind(address: IpAddress): string | undefined {
  const plain = toPlain(address);
  return knownBlocks().special.find(({ range }) => isInRange(plain, range))?.kind;
}

/** IPv4 addresses written as IPv6 ones, made plain; others as they are. */
export function toPlain(address: IpAddress): IpAddress {
  return knownBlocks().sameAsIpv4.some((range) => isInRange(address, range))
    ? embeddedIpv4(address.groups, 6)
    : address;
}

function toRange(text: string): IpRange {
  const range = parseIpRange(text);
  if (range === undefined) throw new Error(`"${text}" is not a block of addresses.`);
  return range;
}
