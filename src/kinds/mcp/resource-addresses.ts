import { pageOf } from '../../tool/app-pages.ts';
import { isPlainObject } from '../../tool/json.ts';
import { withHash } from '../../tool/texts/legal-name.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import type { Manifest } from '../../mcp/client/offers/manifest-cache.ts';
import type { ResourceOffer } from '../../mcp/client/offers/offered-items.ts';

/** Converts the addresses of a server's resources to the board's, and back. */
export interface ResourceAddresses {
  readonly toBoard: (uri: string) => string;
  /** Returns the address on the server if the board's address names the server; otherwise `undefined`. */
  readonly toServer: (uri: string) => string | undefined;
}

interface AddressedServer {
  readonly name: string;
  readonly manifest: Manifest | undefined;
}

/** Addresses that clients recognize by their scheme or open themselves. They stay unchanged if only one server has them. */
const KEPT = /^(?:ui|skill|https?):/i;
/** Apps and skills with the same name on two servers: clients still recognize the scheme. */
const SHARED = /^(ui|skill):\/\/board\+([^/]+)\/([^]*)$/;
const MAX_SCHEME = 40;

/** True when an address keeps its form on the board. */
export function isKeptAddress(uri: string): boolean {
  return KEPT.test(uri);
}

/** Assigns each server the addresses of its resources. They depend on the config and the offers, not on the order of answers. */
export function addressResources(servers: readonly AddressedServer[]): ReadonlyMap<string, ResourceAddresses> {
  const schemes = makeSchemes(servers.map(({ name }) => name));
  const owners = new Map<string, Set<string>>();
  for (const { name, manifest } of servers) {
    for (const uri of keptAddresses(manifest)) owners.set(uri, (owners.get(uri) ?? new Set()).add(name));
  }
  const isShared = (uri: string): boolean => SHARED.test(uri) || (owners.get(uri)?.size ?? 0) > 1;
  return new Map(
    servers.map(({ name, manifest }) => {
      const scheme = schemes.get(name) ?? name;
      const start = `${scheme}+`;
      const toBoard = (uri: string): string => {
        // A server without resources can only link to other places.
        if (manifest?.capabilities['resources'] === undefined) return uri;
        if (!isKeptAddress(uri)) return start + uri;
        if (!isShared(uri)) return uri;
        const [, kind, rest] = /^(ui|skill):\/\/([^]*)$/i.exec(uri) ?? [];
        return kind === undefined ? start + uri : `${kind}://board+${scheme}/${rest}`;
      };
      const toServer = (uri: string): string | undefined => {
        if (uri.startsWith(start)) return uri.slice(start.length);
        const [, kind, owner, rest] = SHARED.exec(uri) ?? [];
        return owner === scheme ? `${kind}://${rest}` : undefined;
      };
      return [name, { toBoard, toServer }];
    }),
  );
}

/** True when a server has a resource: it lists it, a template matches, or one of its tools shows it. */
export function hasResource(uri: string, offer: ResourceOffer, manifest: Manifest): boolean {
  return (
    offer.resources.some((resource) => resource.uri === uri) ||
    skillAddresses(offer).includes(uri) ||
    offer.templates.some(({ uriTemplate }) => fitsTemplate(uriTemplate, uri)) ||
    manifest.tools.some(({ _meta }) => pageOf(_meta) === uri)
  );
}

/** True when an address may come from a template. */
function fitsTemplate(template: string, uri: string): boolean {
  return compileGlob(template.replaceAll(/\{[^{}]*\}/g, '*'))(uri);
}

/** Returns the `_meta` of a tool with its page under the board's address; `undefined` if that is unchanged. */
export function withPageAddress(
  meta: Readonly<Record<string, unknown>> | undefined,
  addressOf: ((uri: string) => string) | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const uri = pageOf(meta);
  const address = uri === undefined ? undefined : addressOf?.(uri);
  if (meta === undefined || address === undefined || address === uri) return undefined;
  const { ui } = meta;
  const old = 'ui/resourceUri' in meta ? { 'ui/resourceUri': address } : {};
  return { ...old, ...(isPlainObject(ui) ? { ui: { ...ui, resourceUri: address } } : {}) };
}

/**
 * Returns the prefixes of the servers' addresses: their names in characters allowed in schemes. If two would be equal, both get
 * digits.
 */
function makeSchemes(names: readonly string[]): ReadonlyMap<string, string> {
  const plain = (name: string): string => {
    const legal = name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
    return (/^[a-z]/.test(legal) ? legal : `s-${legal}`).slice(0, MAX_SCHEME);
  };
  const same = Map.groupBy(new Set(names), plain);
  return new Map(
    [...same].flatMap(([scheme, group]) =>
      group.map((name) => {
        const isOwn = group.length === 1 || name === scheme;
        return [name, isOwn ? scheme : withHash(scheme, { max: MAX_SCHEME, whole: name }).replaceAll('_', '-')];
      }),
    ),
  );
}

/** Returns the addresses of a server's skills and of their files. */
function skillAddresses({ skills = [] }: ResourceOffer): string[] {
  return skills.flatMap(({ uri, resources }) => [uri, ...resources.map((file) => file.uri)]);
}

function keptAddresses(manifest: Manifest | undefined): ReadonlySet<string> {
  if (manifest === undefined) return new Set();
  const offers = [manifest.common, manifest.own].flatMap((offer) => offer ?? []);
  const all = [
    ...offers.flatMap((offer) => [
      ...offer.resources.map(({ uri }) => uri),
      ...offer.templates.map(({ uriTemplate }) => uriTemplate),
      ...skillAddresses(offer),
    ]),
    ...manifest.tools.flatMap(({ _meta }) => pageOf(_meta) ?? []),
  ];
  return new Set(all.filter(isKeptAddress));
}
