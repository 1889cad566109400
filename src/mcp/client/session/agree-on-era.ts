import { PAGE_TYPE } from '../../../tool/app-pages.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { APPS_EXTENSION, LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION } from '../../protocol/mcp-names.ts';
import { type Agreement, isObject, type JsonObject, type TransportFailure } from '../transports/transport.ts';
import type { RpcOutcome, RpcPeer } from './rpc-peer.ts';

/** Facts about a server after both sides agreed on a protocol version. */
export interface ServerIntroduction extends Agreement {
  readonly name: string;
  readonly software: string;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

export type EraOutcome =
  | { readonly type: 'agreed'; readonly server: ServerIntroduction }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

export interface EraOptions {
  /** The era of the last session, or the one that the config sets. */
  readonly expected: 'legacy' | 'modern' | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds for the answer to a stateless request; without one, the server counts as one with a handshake. */
  readonly probeTimeout: number;
  readonly may: ServerMay;
}

/** The requests that a server may send to callers, by its entry and the policy. */
export interface ServerMay {
  readonly roots: boolean;
  readonly sampling: boolean;
  readonly elicitation: boolean;
}

const MODERN_VERSIONS: readonly string[] = [MODERN_VERSION];
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** This board in introductions. */
export const CLIENT_INFO = { name: 'pegboard', title: 'Pegboard', version: '0.7.0' } as const;

/** Declares MCP Apps: the board passes pages to its clients, which decide about them. */
const PAGES = { extensions: { [APPS_EXTENSION]: { mimeTypes: [PAGE_TYPE] } } } as const;

/** Returns the `_meta` fields that every stateless request carries. */
export function modernMeta(version: string, capabilities: JsonObject): JsonObject {
  return {
    [VERSION_KEY]: version,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': { ...PAGES, ...capabilities },
  };
}

/** Agrees on a protocol style: tries `server/discover` first, then `initialize`. */
export async function agreeOnEra(peer: RpcPeer, options: EraOptions): Promise<EraOutcome> {
  if (options.expected !== 'legacy') {
    const probed = await discover(peer, options);
    if (probed !== undefined) return probed;
  }
  const outcome = await initialize(peer, options);
  if (outcome.type === 'agreed' || outcome.failure.kind !== 'refused') return outcome;
  // A server that was legacy last time may have been updated; a slow one may be modern after all.
  return (await discover(peer, { ...options, expected: 'modern' })) ?? outcome;
}

/** Returns `undefined` for a server with a handshake. */
async function discover(peer: RpcPeer, options: EraOptions): Promise<EraOutcome | undefined> {
  const { signal, probeTimeout, expected } = options;
  let version = MODERN_VERSION;
  for (let tries = 0; tries < 2; tries++) {
    const timeout = AbortSignal.timeout(probeTimeout);
    let outcome: RpcOutcome;
    try {
      outcome = await peer.request(
        'server/discover',
        { _meta: modernMeta(version, {}) },
        { signal: expected === 'modern' ? signal : AbortSignal.any([signal, timeout]) },
      );
    } catch (reason) {
      if (timeout.aborted && !signal.aborted) return undefined;
      throw reason;
    }
    if (outcome.type === 'failed') return isLegacySign(outcome.failure) ? undefined : outcome;
    if (outcome.type === 'result') return readDiscovery(outcome.result, version);
    if (outcome.error.code !== ERROR_CODES.unsupportedVersion) return undefined;
    const { data } = outcome.error;
    const supported: unknown[] = isObject(data) && Array.isArray(data['supported']) ? data['supported'] : [];
    const common = MODERN_VERSIONS.find((candidate) => supported.includes(candidate));
    if (common === undefined) return refuseUnlessLegacy(supported);
    version = common;
  }
  return undefined;
}

/** Servers with a handshake answer stateless requests with a 4xx status. */
function isLegacySign({ kind, status }: TransportFailure): boolean {
  return kind === 'refused' && status !== undefined && status >= 400 && status < 500;
}

/** Returns `undefined` if the server supports a handshake, which is tried next. */
function refuseUnlessLegacy(supported: readonly unknown[]): EraOutcome | undefined {
  return supported.some((version) => LEGACY_VERSIONS.includes(String(version)))
    ? undefined
    : explainVersions(supported);
}

function readDiscovery(result: JsonObject, asked: string): EraOutcome | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = result;
  if (!Array.isArray(supportedVersions)) return undefined;
  const version = MODERN_VERSIONS.find((candidate) => supportedVersions.includes(candidate));
  if (version === undefined && !supportedVersions.includes(asked)) return refuseUnlessLegacy(supportedVersions);
  const info = isObject(_meta) ? _meta['io.modelcontextprotocol/serverInfo'] : undefined;
  return {
    type: 'agreed',
    server: { era: 'modern', version: version ?? asked, ...readServerInfo(info, capabilities, instructions) },
  };
}

async function initialize(peer: RpcPeer, { signal, may }: EraOptions): Promise<EraOutcome> {
  const params = {
    protocolVersion: LATEST_LEGACY_VERSION,
    // Each call decides which of these it can answer; outside of calls all are refused.
    capabilities: {
      ...PAGES,
      ...(may.elicitation ? { elicitation: { form: {}, url: {} } } : {}),
      ...(may.roots ? { roots: {} } : {}),
      ...(may.sampling ? { sampling: {} } : {}),
    },
    clientInfo: CLIENT_INFO,
  };
  const outcome = await peer.request('initialize', params, { signal });
  if (outcome.type === 'failed') return outcome;
  if (outcome.type === 'error') {
    const message = `it refuses to be initialized: ${outcome.error.message} (${outcome.error.code})`;
    return { type: 'failed', failure: { kind: 'refused', message } };
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = outcome.result;
  const known = [...LEGACY_VERSIONS, ...MODERN_VERSIONS];
  if (typeof protocolVersion !== 'string' || !known.includes(protocolVersion))
    return explainVersions([protocolVersion]);
  peer.notify('notifications/initialized');
  const server = {
    era: 'legacy',
    version: protocolVersion,
    ...readServerInfo(serverInfo, capabilities, instructions),
  } as const;
  return { type: 'agreed', server };
}

function readServerInfo(
  info: unknown,
  capabilities: unknown,
  instructions: unknown,
): Pick<ServerIntroduction, 'name' | 'software' | 'capabilities' | 'instructions'> {
  const { name, version } = isObject(info) ? info : {};
  return {
    name: typeof name === 'string' ? name.slice(0, 200) : '',
    software: typeof version === 'string' ? version.slice(0, 100) : '',
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function explainVersions(offered: readonly unknown[]): EraOutcome {
  const theirs = offered.map((version) => String(version)).join(', ') || 'none';
  const ours = [...MODERN_VERSIONS, ...LEGACY_VERSIONS].join(', ');
  const message = `it speaks MCP ${theirs.slice(0, 200)}, and Pegboard speaks ${ours}`;
  return { type: 'failed', failure: { kind: 'refused', message } };
}
