import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../protocol/mcp-names.ts';
import { respondError, respondText } from './respond.ts';

/** A server's public description of itself, for clients before they connect (SEP-2127). It names no tool. */
export interface ServerCard {
  /** A name in reverse DNS with a name within it: `com.example/desk`. */
  readonly name: string;
  readonly title?: string | undefined;
  /** At most 100 characters. */
  readonly description: string;
  readonly version: string;
  readonly websiteUrl?: string | undefined;
  /** The address of its source code, and the host (`github`). */
  readonly repository?: { readonly url: string; readonly source: string } | undefined;
  readonly icons?: readonly { readonly src: string }[] | undefined;
  /** The address for clients. Default: a public card has none. */
  readonly url?: string | undefined;
  /** True when pages of all sites may read it, at any host name. Default: true. */
  readonly isPublic?: boolean | undefined;
}

interface CardOptions {
  readonly card: ServerCard;
  readonly path: string;
  readonly needsToken: boolean;
}

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const CARD_TYPE = 'application/mcp-server-card+json';
const CATALOG = '/.well-known/ai-catalog.json';
/** Paths of earlier drafts, which programs still request. */
const CARDS: ReadonlySet<string> = new Set(['/.well-known/mcp/server-card.json', '/.well-known/mcp/server-card']);

export function isCardPath(pathname: string, path: string): boolean {
  return pathname === `${path}/server-card` || pathname === CATALOG || CARDS.has(pathname);
}

/** Answers a request for the card, or for the catalog that links to it. */
export function respondCard(request: IncomingMessage, response: ServerResponse, options: CardOptions): void {
  const { method = 'GET', url = '/', headers } = request;
  const isPublic = options.card.isPublic !== false;
  if (isPublic) {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-methods', 'GET');
    response.setHeader('access-control-allow-headers', 'Content-Type, If-None-Match');
    response.setHeader('access-control-expose-headers', 'ETag');
  }
  if (method === 'OPTIONS') return void response.writeHead(204).end();
  if (method !== 'GET' && method !== 'HEAD')
    return respondError(response, 405, { message: 'Use GET.', headers: { allow: 'GET, HEAD' } });
  // A host name from a request must not get into a shared cache.
  const address = options.card.url ?? (isPublic ? undefined : `http://${headers.host}${options.path}`);
  const card = writeCard({ ...options, address });
  const isCatalog = url.startsWith(CATALOG);
  const text = JSON.stringify(isCatalog ? writeCatalog(options.card, { card, address }) : card, undefined, 2);
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  response.setHeader('etag', tag);
  response.setHeader('cache-control', isPublic ? 'public, max-age=3600' : 'no-cache');
  if (headers['if-none-match'] === tag) return void response.writeHead(304).end();
  respondText(response, method === 'HEAD' ? '' : text, { type: isCatalog ? 'application/ai-catalog+json' : CARD_TYPE });
}

function writeCard({ card, address, needsToken }: CardOptions & { readonly address: string | undefined }): object {
  const { name, title, description, version, websiteUrl, repository, icons } = card;
  const token = { name: 'Authorization', description: 'Bearer and a token', isRequired: true, isSecret: true };
  return {
    $schema: SCHEMA,
    name,
    title,
    description,
    version,
    websiteUrl,
    repository,
    icons,
    ...(address === undefined
      ? {}
      : {
          remotes: [
            {
              type: 'streamable-http',
              url: address,
              ...(needsToken ? { headers: [token] } : {}),
              supportedProtocolVersions: [MODERN_VERSION, ...LEGACY_VERSIONS],
            },
          ],
        }),
  };
}

/** The catalog of a site (AI Catalog) has one entry. */
function writeCatalog(
  { name }: ServerCard,
  { card, address }: { readonly card: object; readonly address: string | undefined },
): object {
  const [publisher = '', own = ''] = name.split('/');
  const identifier = `urn:air:${publisher.split('.').toReversed().join('.')}:mcp:${own}`;
  const place = address === undefined ? { data: card } : { url: `${address}/server-card` };
  return { specVersion: '1.0', entries: [{ identifier, type: CARD_TYPE, ...place }] };
}
