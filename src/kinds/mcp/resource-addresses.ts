import { pageOf } from '../../tool/app-pages.ts';
import { isPlainObject } from '../../tool/json.ts';
import { withHash } from '../../tool/texts/legal-name.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import type { Manifest } from '../../mcp/client/offers/manifest-cache.ts';
import type { ResourceOffer } from '../../mcp/client/offers/offered-items.ts';

/** How the addresses of a server's resources are written on the board, and back. */
export interface ResourceAddresses {
  /** The address on the board. */
  readonly toBoard: (uri: string) => string;
  /** The address on the server, where the one on the board names the server; `undefined` for all others. */
  readonly toServer: (uri: string) => string | undefined;
}

/** A server, and what it said last. */
interface AddressedServer {
  /** As its config calls it. */
  readonly name: string;
  readonly manifest: Manifest | undefined;
}

/** Addresses that clients know by their scheme, or open by themselves. They stay as they are while one server alone has them. */
const KEPT = /^(?:ui|skill|https?):/i;
/** Apps and skills that two servers call the same: clients still see what each is. */
const SHARED = /^(ui|skill):\/\/board\+([^/]+)\/([^]*)$/;
const MAX_SCHEME = 40;

/** Whether an address keeps its form on the board. */
export function isKeptAddress(uri: string): boolean {
  return KEPT.test(uri);
}

/** Gives each server the addresses of its resources. They depend on the config and on what is offered, not on who answers first. */
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
        // What cannot be read there is a link to somewhere else.
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

/** Whether a server has a resource: it lists it, has a template that fits, or a tool of it shows it. */
export function hasResource(uri: string, offer: ResourceOffer, manifest: Manifest): boolean {
  return (
    offer.resources.some((resource) => resource.uri === uri) ||
    skillAddresses(offer).includes(uri) ||
    offer.templates.some(({ uriTemplate }) => fitsTemplate(uriTemplate, uri)) ||
    manifest.tools.some(({ _meta }) => pageOf(_meta) === uri)
  );
}

/** Whether an address may come from a template. */
function fitsTemplate(template: string, uri: string): boolean {
  return compileGlob(template.replaceAll(/\{[^{}]*\}/g, '*'))(uri);
}

/** The `_meta` of a tool with the page that it shows under its address on the board; `undefined` where that is the same. */
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

/** What stands before a server's addresses: its name in the characters of schemes. Where two would be the same, both get digits. */
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

/** The addresses of a server's skills, and of their files. */
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
