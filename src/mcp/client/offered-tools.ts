import { describeChanges } from './describe-changes.ts';
import { modernMeta } from './session/agree-on-era.ts';
import type { Manifest, ManifestCache } from './manifest-cache.ts';
import type { McpSession } from './session/open-mcp-session.ts';
import type { ServerSettings } from './server-settings.ts';
import type { TransportFailure } from './transports/transport.ts';
import type { UpstreamClock } from './upstream-clock.ts';
import { type JsonObject, isObject } from './transports/wire-message.ts';
import { type OfferedTool, parseOffer } from './offered-tool.ts';
import type { RpcPeer } from './session/rpc-peer.ts';

interface OfferedToolsOptions {
  readonly settings: ServerSettings;
  readonly cache: ManifestCache;
  readonly clock: UpstreamClock;
  /** Names what starts the server, in the cache. */
  readonly key: string;
  /** Called, and waited for, when the server offers something else than before. */
  readonly onChange: () => Promise<void>;
}

/** Milliseconds between two looks at a list that keeps changing. */
const READ_PAUSE = 1000;
/** Milliseconds that taking up a changed list may take; ten times what it takes longer, the board does other work first. */
const USUAL_WORK = 200;
const LONGEST_REST = 60_000;

/** What one session offers, as it was last read. */
interface SessionList {
  /** Each tool with its text, by which two lists are compared. */
  tools: ReadonlyMap<string, { readonly tool: OfferedTool; readonly text: string }>;
  isWaiting: boolean;
  lastRead: number;
}

/**
 * What a server offers: remembered from earlier runs, read from the server, read again when it changes.
 *
 * Several processes of one server may run. What was read last counts, with the tools that only another of them offers.
 */
export class OfferedTools {
  readonly #options: OfferedToolsOptions;
  readonly #lists = new Map<McpSession, SessionList>();
  /** What a process was replaced for: the tool as its successor should offer it. */
  readonly #expected = new Map<string, string>();
  /** Tools that a new process, too, offered otherwise: what is said of them differs by process, as where it names the user. */
  readonly #varying = new Set<string>();
  #shown: SessionList['tools'] = new Map();
  #manifest: Manifest | undefined;
  #faults: readonly string[] = [];
  #changes: string | undefined;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(options: OfferedToolsOptions) {
    this.#options = options;
    this.#manifest = options.cache.read(options.settings.name, options.key);
  }

  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /** What could not be used of the last list. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /**
   * Whether this session offers a tool otherwise than the board has it, as another process of the server was read later, so
   * that its process has to be replaced.
   */
  isOutdated(session: McpSession, tool: string): boolean {
    const own = this.#lists.get(session)?.tools.get(tool);
    const shown = this.#shown.get(tool)?.text;
    if (own === undefined || own.text === shown || this.#varying.has(tool)) return false;
    this.#expected.set(tool, shown ?? '');
    return true;
  }

  /** Forgets a session that is over. */
  forget(session: McpSession): void {
    this.#lists.delete(session);
  }

  /** Asks for the tools and keeps them; gives what went wrong. Rejects only with the reason of the signal. */
  async read(session: McpSession, signal: AbortSignal): Promise<TransportFailure | undefined> {
    const { server, peer } = session;
    const { clock, cache, settings, key, onChange } = this.#options;
    const list = this.#listOf(session);
    list.lastRead = clock.now();
    const meta = server.era === 'modern' ? modernMeta(server.version, {}) : undefined;
    const listed = await listTools(peer, meta, signal);
    if (listed.type === 'failed') return listed.failure;
    const listedAt = clock.now();
    const { era, version, name: title, software, instructions } = server;
    this.#faults = listed.faults;
    list.tools = new Map(listed.tools.map((tool) => [tool.name, { tool, text: JSON.stringify(tool) }]));
    for (const [name, text] of this.#expected) if (list.tools.get(name)?.text !== text) this.#varying.add(name);
    this.#expected.clear();
    const shown = new Map(list.tools);
    for (const other of this.#lists.values()) {
      for (const [name, offered] of other.tools) if (!shown.has(name)) shown.set(name, offered);
    }
    this.#shown = shown;
    const tools = [...shown.values()].map(({ tool }) => tool);
    const manifest = { era, version, title, software, instructions, tools };
    if (JSON.stringify(manifest) === JSON.stringify(this.#manifest)) return undefined;
    this.#note(manifest);
    this.#manifest = manifest;
    cache.write(settings.name, key, manifest);
    await onChange();
    const now = clock.now();
    const rest = Math.max(0, now - listedAt - USUAL_WORK) * 10;
    this.#restUntil = now + Math.min(rest, LONGEST_REST);
    return undefined;
  }

  /** What the server says of its tools otherwise than before, where it was not told yet. */
  get changes(): string | undefined {
    return this.#changes;
  }

  #note(next: Manifest): void {
    const { cache, settings } = this.#options;
    // What is known from earlier runs has no secrets in it.
    const changes = this.#manifest && describeChanges(cache.clean(this.#manifest), cache.clean(next));
    if (changes !== undefined && cache.claimNotice(settings.name, changes.key)) this.#changes = changes.text;
  }

  /** Looks again when the server says that its list changed; however often it says so, not more than once a second, and a long list less often. */
  notice(session: McpSession, isCurrent: () => boolean): void {
    const list = this.#listOf(session);
    if (list.isWaiting) return;
    list.isWaiting = true;
    const { clock, settings } = this.#options;
    const look = (): void => {
      // What is said from now on asks for another look.
      list.isWaiting = false;
      // A list that cannot be read now stays as it was; the next call tells why.
      if (isCurrent()) void this.read(session, AbortSignal.timeout(settings.startTimeout)).catch(() => {});
    };
    const wait = (): void => {
      const pause = Math.max(list.lastRead + READ_PAUSE, this.#restUntil) - clock.now();
      // A list that was being taken up may make it longer.
      if (pause > 0) clock.setTimer(wait, pause);
      else look();
    };
    wait();
  }

  #listOf(session: McpSession): SessionList {
    const list = this.#lists.get(session) ?? { tools: new Map(), isWaiting: false, lastRead: Number.NEGATIVE_INFINITY };
    this.#lists.set(session, list);
    return list;
  }
}

/** All that a server offers, with what could not be used of it. */
type ToolList =
  | { readonly type: 'listed'; readonly tools: readonly OfferedTool[]; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

const MAX_TOOLS = 10_000;
const MAX_PAGES = 1000;
/** Characters of all of them. */
const MAX_DEFINITIONS = 64 * 1024 * 1024;
const MAX_FAULTS = 50;

/** Asks for every page of a server's tools. A list without end is refused. */
async function listTools(peer: RpcPeer, meta: JsonObject | undefined, signal: AbortSignal): Promise<ToolList> {
  const tools = new Map<string, OfferedTool>();
  const faults: string[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let offered = 0;
  let size = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), ...(meta === undefined ? {} : { _meta: meta }) };
    const outcome = await peer.request('tools/list', params, { signal });
    if (outcome.type === 'failed') return outcome;
    if (outcome.type === 'error') return broken(`it does not list its tools: ${outcome.error.message}`);
    const items: unknown = outcome.result['tools'];
    if (!Array.isArray(items)) return broken('its list of tools is no list');
    offered += items.length;
    if (offered > MAX_TOOLS) return broken(`it offers more than ${MAX_TOOLS.toLocaleString('en-US')} tools`);
    for (const item of items) size += take(item, tools, faults);
    if (size > MAX_DEFINITIONS)
      return broken(`what it says of its tools has more than ${MAX_DEFINITIONS.toLocaleString('en-US')} characters`);
    const next = outcome.result['nextCursor'];
    if (typeof next !== 'string')
      return { type: 'listed', tools: [...tools.values()], faults: faults.slice(0, MAX_FAULTS) };
    if (cursors.has(next)) return broken('its list of tools goes round in a circle: a cursor came twice');
    cursors.add(next);
    cursor = next;
  }
  return broken(`its list of tools has more than ${MAX_PAGES} pages`);
}

/** Keeps a tool, or what is wrong with it; gives the characters that are kept. */
function take(item: unknown, tools: Map<string, OfferedTool>, faults: string[]): number {
  const parsed = parseOffer(isObject(item) ? item : undefined);
  if (parsed.ok && !tools.has(parsed.tool.name)) {
    tools.set(parsed.tool.name, parsed.tool);
    return parsed.size;
  }
  faults.push(
    parsed.ok
      ? `it offers ${JSON.stringify(parsed.tool.name)} twice; the first is used`
      : `the tool ${JSON.stringify(parsed.name)} ${parsed.fault} and is left out`,
  );
  return 0;
}

function broken(message: string): ToolList {
  return { type: 'failed', failure: { kind: 'refused', message } };
}

/** Milliseconds between two subscriptions, doubled with each that fails at once. */
const SUBSCRIBE_PAUSE = 5000;
const LONGEST_PAUSE = 300_000;

/** Who subscribes to a server's changes. */
interface Subscriber {
  readonly clock: UpstreamClock;
  /** Whether the session is still in use. */
  readonly isCurrent: () => boolean;
  /** Called when changes may have gone unheard, while there was no subscription. */
  readonly onGap: () => void;
}

/** Asks a server of the newer era to tell of changes to its tools, and asks again when that ends; older ones tell unasked. */
export function subscribeToChanges({ server, peer }: McpSession, { clock, isCurrent, onGap }: Subscriber): void {
  const { tools } = server.capabilities;
  if (server.era !== 'modern' || !isObject(tools) || tools['listChanged'] !== true) return;
  const params = { _meta: modernMeta(server.version, {}), notifications: { toolsListChanged: true } };
  const listen = async (failures: number): Promise<void> => {
    const started = clock.now();
    const outcome = await peer.request('subscriptions/listen', params);
    if (outcome.type === 'error' || !isCurrent()) return;
    const count = clock.now() - started > SUBSCRIBE_PAUSE ? 0 : failures + 1;
    const again = (): void => {
      if (!isCurrent()) return;
      void listen(count);
      onGap();
    };
    clock.setTimer(again, Math.min(SUBSCRIBE_PAUSE * 2 ** Math.max(0, count - 1), LONGEST_PAUSE));
  };
  void listen(0);
}
