import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Says why an address of a host must not be used. */
export type CheckAddress = (address: string, hostname: string) => Error | undefined;

/**
 * Wraps a resolver so that it gives only addresses that may be used.
 *
 * A connection is made to what this gives, so a name that resolves to something else a moment later gains nothing.
 */
export function createGuardedLookup(lookup: LookupFunction, check: CheckAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses: readonly LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: found.includes(':') ? 6 : 4 }] : found;
      const refusals = addresses.map(({ address }) => check(address, hostname));
      const usable = addresses.filter((_, index) => refusals[index] === undefined);
      const [first] = usable;
      if (first === undefined) {
        return callback(
          refusals[0] ?? Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND' }),
          '',
        );
      }
      if (options.all === true) return callback(null, usable);
      return callback(null, first.address, first.family);
    });
  };
}
