import { isIPv4, isIPv6 } from 'node:net';

/** An address as the numbers it is made of: 4 bytes, or 8 groups of 16 bits. */
export type IpAddress =
  | { readonly family: 4; readonly groups: readonly number[] }
  | { readonly family: 6; readonly groups: readonly number[] };

/** A block of addresses: those whose first `bits` bits are the same. */
export interface IpRange {
  readonly address: IpAddress;
  readonly bits: number;
}

/** Reads an address in its usual spelling, brackets and zone allowed; `undefined` for anything else. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIPv4(bare)) return { family: 4, groups: bare.split('.').map(Number) };
  const [address = ''] = bare.split('%', 1);
  if (!isIPv6(address)) return undefined;
  return { family: 6, groups: expandGroups(address) };
}

/** Reads `10.0.0.0/8` or `fd00::/8`. */
export function parseIpRange(text: string): IpRange | undefined {
  const [start = '', length = '', ...rest] = text.split('/');
  const address = parseIpAddress(start);
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const bits = Number(length);
  return bits <= (address.family === 4 ? 32 : 128) ? { address, bits } : undefined;
}

/** Tells whether an address is inside a block. */
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

/** The IPv4 address that the two groups from `index` on hold. */
export function embeddedIpv4(groups: readonly number[], index: number): IpAddress {
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
