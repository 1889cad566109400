import { isDeepStrictEqual } from 'node:util';
import type { OfferPins } from '../../guard/lock/lock-file.ts';
import { toOfferPin } from '../../guard/lock/tool-pin.ts';
import type { ServerOfferList } from '../../load/features/tool-list.ts';
import type { LockMode } from '../../load/loaded-file.ts';

type Redact = (value: unknown) => unknown;

/** Pins the prompts and resources of servers. */
export function pinOffers(offers: ReadonlyMap<string, ServerOfferList>, redact: Redact): OfferPins {
  const pinned = [...offers].map(([server, { items }]) => {
    const all = Object.entries(items).flatMap(([kind, list]: [string, readonly object[]]) =>
      list.map((listing) => [keyOf(kind, listing), toOfferPin(listing, redact)] as const),
    );
    return [server, Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)))] as const;
  });
  return new Map(pinned.filter(([, items]) => Object.keys(items).length > 0));
}

/**
 * Returns a check of a server's items: true for those that the lock contains in their current form, and for all items of servers whose lock
 * only warns.
 */
export function isPinnedIn(
  pins: OfferPins | undefined,
  { redact, modeOf }: { readonly redact: Redact; readonly modeOf: (server: string) => LockMode },
): (server: string, kind: keyof ServerOfferList['items'], listing: object) => boolean {
  return (server, kind, listing) => {
    if (modeOf(server) === 'warn') return true;
    const items = pins?.get(server) ?? {};
    const key = keyOf(kind, listing);
    return Object.hasOwn(items, key) && isDeepStrictEqual(items[key], toOfferPin(listing, redact));
  };
}

function keyOf(kind: string, listing: object): string {
  const { name, uri, uriTemplate } = { name: '', uri: '', uriTemplate: '', ...listing };
  return kind === 'prompts' ? `prompt ${name}` : kind === 'resources' ? `resource ${uri}` : `template ${uriTemplate}`;
}
