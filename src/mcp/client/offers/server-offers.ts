import { isDeepStrictEqual } from 'node:util';
import { listOffers, listTools } from './list-offers.ts';
import type { Manifest, ManifestCache, SeenManifest } from './manifest-cache.ts';
import { NO_RESOURCES, type OfferedPrompt, type OfferedTool, type ResourceOffer } from './offered-items.ts';
import type { ServerSettings } from '../server-settings.ts';
import { modernMeta } from '../session/agree-on-era.ts';
import type { McpSession } from '../session/open-mcp-session.ts';
import type { TransportFailure } from '../transports/transport.ts';
import type { UpstreamClock } from '../upstream-timing.ts';

interface ServerOffersOptions {
  readonly settings: ServerSettings;
  readonly cache: ManifestCache;
  readonly clock: UpstreamClock;
  /** The server's settings, in the cache. */
  readonly key: string;
  /** Called and awaited when the server offers something else than before. */
  readonly onChange: () => Promise<void>;
  readonly onResources: () => void;
}

/** Milliseconds between two reads of a list that keeps changing. */
const READ_PAUSE = 1000;
/** Milliseconds that applying a changed list may take; if it takes longer, the board rests ten times the excess before the next read. */
const USUAL_WORK = 200;
const LONGEST_REST = 60_000;

/** The owner of the resources that a process lists: all callers, the user of the board, or another user. */
export type ResourceOwner = 'common' | 'own' | 'other';

/** Receives the resources of a process and returns their owner. */
type OnResources = (resources: ResourceOffer) => ResourceOwner;

/** The offer of one session when it was last read. */
interface SessionList {
  /** Each tool with its JSON, for comparing lists. */
  tools: ReadonlyMap<string, { readonly tool: OfferedTool; readonly text: string }>;
  prompts: ReadonlyMap<string, OfferedPrompt>;
  resources: ResourceOffer | undefined;
  isWaiting: boolean;
  lastRead: number;
}

/**
 * A server's offer: stored from earlier runs, read from the server, read again when it changes.
 *
 * Several processes of one server may run. The tools and prompts of the last read win; those that only another process offers are added.
 * Resources are data of the user whose process lists them and stay separate.
 */
export class ServerOffers {
  readonly #options: ServerOffersOptions;
  readonly #lists = new Map<McpSession, SessionList>();
  /** For each tool that caused the replacement of a process: its definition that the new process should offer. */
  readonly #expected = new Map<string, string>();
  /** Tools whose definition differs between processes, for example because it names the user. */
  readonly #varying = new Set<string>();
  #shown: SessionList['tools'] = new Map();
  #manifest: Manifest | undefined;
  #faults: readonly string[] = [];
  #changes: string | undefined;
  /** The reviewed description, if it cannot be stored. */
  #seen: SeenManifest | undefined;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ServerOffersOptions) {
    this.#options = options;
    this.#manifest = options.cache.read(options.settings.name, options.key);
    if (this.#manifest !== undefined) this.#note(this.#manifest);
  }

  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /** Faults of the last list. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /**
   * Returns true when this session's definition of a tool differs from the board's, because another process was read later. Its process
   * must then be replaced.
   */
  isOutdated(session: McpSession, tool: string): boolean {
    const own = this.#lists.get(session)?.tools.get(tool);
    const shown = this.#shown.get(tool)?.text;
    if (own === undefined || own.text === shown || this.#varying.has(tool)) return false;
    this.#expected.set(tool, shown ?? '');
    return true;
  }

  forget(session: McpSession): void {
    this.#lists.delete(session);
  }

  /**
   * Reads everything that the server offers and stores it; returns a failure. `onResources` receives the resources and returns their
   * owner. Rejects only with the reason of the signal.
   */
  async read(
    session: McpSession,
    signal: AbortSignal,
    onResources: OnResources,
  ): Promise<TransportFailure | undefined> {
    const { server, peer } = session;
    const { clock, cache, settings, key, onChange } = this.#options;
    const list = this.#listOf(session);
    list.lastRead = clock.now();
    const meta = server.era === 'modern' ? modernMeta(server.version, {}) : undefined;
    const { era, version, name: title, software, instructions, capabilities } = server;
    const [listed, offers] = await Promise.all([
      listTools(peer, { meta, signal, isOptional: !('tools' in capabilities) }),
      listOffers(peer, { capabilities, meta, signal }),
    ]);
    if (listed.type === 'failed') return listed.failure;
    if ('failure' in offers) return offers.failure;
    const listedAt = clock.now();
    this.#faults = [...listed.faults, ...offers.faults];
    list.prompts = new Map(offers.prompts.map((prompt) => [prompt.name, prompt]));
    const before = list.resources;
    const { resources, templates, skills } = offers;
    list.resources = { resources, templates, ...(skills === undefined ? {} : { skills }) };
    list.tools = new Map(listed.tools.map((tool) => [tool.name, { tool, text: JSON.stringify(tool) }]));
    for (const [name, text] of this.#expected) if (list.tools.get(name)?.text !== text) this.#varying.add(name);
    this.#expected.clear();
    const shown = new Map(list.tools);
    const prompts = new Map(list.prompts);
    for (const other of this.#lists.values()) {
      for (const [name, offered] of other.tools) if (!shown.has(name)) shown.set(name, offered);
      for (const [name, prompt] of other.prompts) if (!prompts.has(name)) prompts.set(name, prompt);
    }
    this.#shown = shown;
    const manifest: Manifest = {
      era,
      version,
      title,
      software,
      instructions,
      capabilities,
      tools: [...shown.values()].map(({ tool }) => tool),
      prompts: [...prompts.values()],
      ...this.#keptResources(list.resources, onResources(list.resources)),
    };
    if (JSON.stringify(manifest) === JSON.stringify(this.#manifest)) {
      // Resources of one user do not change what other callers see.
      if (JSON.stringify(before) !== JSON.stringify(list.resources)) this.#options.onResources();
      return undefined;
    }
    this.#note(manifest);
    this.#manifest = manifest;
    cache.write(settings.name, key, manifest);
    await onChange();
    const now = clock.now();
    const rest = Math.max(0, now - listedAt - USUAL_WORK) * 10;
    this.#restUntil = now + Math.min(rest, LONGEST_REST);
    return undefined;
  }

  /** Selects the resources to store: never those of a user other than the board's own. */
  #keptResources(listed: ResourceOffer, owner: ResourceOwner): Pick<Manifest, 'common' | 'own'> {
    const { common, own } = this.#manifest ?? {};
    if (owner === 'common') return { common: listed };
    const kept = common ?? NO_RESOURCES;
    // Resources that equal the common ones need no list for the user.
    if (owner === 'own')
      return JSON.stringify(kept) === JSON.stringify(listed) ? { common: kept } : { common: kept, own: listed };
    return { common: kept, ...(own === undefined ? {} : { own }) };
  }

  /** The changes in the server's tools since a person last reviewed them, including reverted ones. */
  get changes(): string | undefined {
    return this.#changes;
  }

  #note(next: Manifest): void {
    const { cache, settings, key } = this.#options;
    const known = cache.readSeen(settings.name, key);
    const before = known ?? this.#seen;
    // Stored offers contain no secrets.
    const manifest = before?.manifest ?? cache.clean(this.#manifest ?? next);
    const now = describeChanges(manifest, cache.clean(next))?.text;
    // Callers may have read a description that was reverted.
    const unseen = now ?? before?.unseen;
    this.#seen = { manifest, unseen };
    if (known === undefined || known.unseen !== unseen) cache.writeSeen(settings.name, key, this.#seen);
    this.#changes = now === undefined && unseen !== undefined ? `${unseen}, taken back since` : now;
  }

  markSeen(): void {
    const { cache, settings, key } = this.#options;
    if (this.#manifest === undefined) return;
    this.#seen = { manifest: cache.clean(this.#manifest) };
    cache.writeSeen(settings.name, key, this.#seen);
    this.#changes = undefined;
  }

  /** Reads the list again after the server announced a change: at most once a second, and less often for a long list. */
  notice(session: McpSession, isCurrent: () => boolean, onResources: OnResources): void {
    const list = this.#listOf(session);
    if (list.isWaiting) return;
    list.isWaiting = true;
    const { clock, settings } = this.#options;
    const look = (): void => {
      // Later announcements need another read.
      list.isWaiting = false;
      // A list that cannot be read stays as it was; the next call reports the reason.
      if (isCurrent()) void this.read(session, AbortSignal.timeout(settings.startTimeout), onResources).catch(() => {});
    };
    const wait = (): void => {
      const pause = Math.max(list.lastRead + READ_PAUSE, this.#restUntil) - clock.now();
      // Applying another list may have extended the rest.
      if (pause > 0) clock.setTimer(wait, pause);
      else look();
    };
    wait();
  }

  #listOf(session: McpSession): SessionList {
    const list = this.#lists.get(session) ?? {
      tools: new Map(),
      prompts: new Map(),
      resources: undefined,
      isWaiting: false,
      lastRead: Number.NEGATIVE_INFINITY,
    };
    this.#lists.set(session, list);
    return list;
  }
}

/** Differences between two offers. */
interface OfferChanges {
  readonly text: string;
  /** Equal for all processes that see this change. */
  readonly key: string;
}

/** The parts of a tool that can change, with words for people. */
const PARTS: readonly (readonly [keyof OfferedTool, string])[] = [
  ['description', 'description'],
  ['inputSchema', 'arguments'],
  ['outputSchema', 'output schema'],
  ['annotations', 'hints'],
  ['title', 'title'],
  ['execution', 'execution'],
  ['icons', 'icons'],
  ['_meta', '_meta'],
];
const MAX_LISTED = 5;

/** Describes changes of existing tools and of the server's instructions. Added and removed tools do not count. */
function describeChanges(before: Manifest, now: Manifest): OfferChanges | undefined {
  const known = new Map(before.tools.map((tool) => [tool.name, tool]));
  const changed = now.tools.flatMap((tool) => {
    const old = known.get(tool.name);
    const parts = old === undefined ? [] : PARTS.filter(([part]) => !isDeepStrictEqual(old[part], tool[part]));
    return parts.length === 0 ? [] : [{ tool, text: `${tool.name} (${parts.map(([, word]) => word).join(', ')})` }];
  });
  const isOtherText = before.instructions !== now.instructions;
  const all = [...(isOtherText ? ['its instructions'] : []), ...changed.map(({ text }) => text)];
  if (all.length === 0) return undefined;
  const more = all.length > MAX_LISTED ? `, and ${all.length - MAX_LISTED} more` : '';
  const key = JSON.stringify([now.instructions, changed.map(({ tool }) => tool)]);
  return { text: `${all.slice(0, MAX_LISTED).join(', ')}${more}`, key };
}
