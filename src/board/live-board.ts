import { Emitter } from '../tool/emitter.ts';
import type { Tool } from '../tool/tool.ts';
import type { SearchWords } from '../discovery/index-source.ts';
import type { RankOptions } from '../discovery/search-options.ts';
import { outputsFor } from '../platform/outputs/output-store.ts';
import type { BoardMode } from '../load/board-mode.ts';
import type { LoadedFile } from '../load/loaded-file.ts';
import type { Feature, FeatureEvent } from '../load/features/feature.ts';
import type { ToolList } from '../load/features/tool-list.ts';
import { FeatureCalls, findApi, requireApi, toBoardFeature } from './features/feature-calls.ts';
import type { ExecutorOptions } from '../pipeline/executor-options.ts';
import { ToolExecutor } from '../pipeline/tool-executor.ts';
import { openRuns } from '../platform/runs/open-runs.ts';
import type { KeyedStore } from '../platform/store/sealed-space.ts';
import { unlessAborted } from '../platform/unless-aborted.ts';
import type { Assembly } from './assembly/assemble.ts';
import { createUnchangedCheck } from './ask/check-unchanged.ts';
import { LateApprovals } from './ask/late-approvals.ts';
import { createArrivals } from './board-arrivals.ts';
import { BoardAssemblies } from './board-assemblies.ts';
import type { BoardDiscovery, EquippedTools } from '../features/discovery/board-discovery.ts';
import { discovery } from '../features/discovery/feature.ts';
import type { BoardRecording } from '../features/record/board-recording.ts';
import { lock } from '../features/lock/feature.ts';
import { policy } from '../features/policy/feature.ts';
import { record } from '../features/record/feature.ts';
import type { BoardResources } from './board-resources.ts';
import type { LiveBoardParts } from './live-board-parts.ts';
import type { Board, BoardEvents, BoardFeature, ReadyOptions } from './board.ts';
import { LiveOffers } from './offers/live-offers.ts';
import { refuseToRun } from './assembly/look.ts';
import { toConfigError } from './assembly/read-board.ts';
import { ToolRegistry } from './registry/tool-registry.ts';
import type { SharedServer } from '../mcp/client/shared-server.ts';
import { type BoardServer, toBoardServer } from '../features/servers/to-board-server.ts';
import { FileWatch } from './file-watch.ts';

/** A board over the latest reading of its files, and how it takes up the next one. */
export class LiveBoard implements Board {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly runs: Board['runs'] = openRuns(() => this.sealed);
  readonly offers: LiveOffers = new LiveOffers(() => ({
    offers: this.#current.composed.offers,
    features: this.#current.features,
  }));
  readonly #resources: BoardResources;
  readonly #read: () => Promise<Assembly>;
  readonly #assemblies: BoardAssemblies;
  readonly #events = new Emitter<BoardEvents>();
  readonly #mode: BoardMode;
  readonly #arrivals = createArrivals(
    () => this.#current,
    (name) => this.registry.find(name) !== undefined,
  );
  readonly #checkUnchanged = createUnchangedCheck({ find: (name) => this.registry.get(name), lock: () => this.lock });
  readonly approvals: LateApprovals;
  #equipped: EquippedTools;
  readonly #featureCalls = new FeatureCalls();
  #composing: Promise<void> | undefined;
  #isReading = false;
  #isClosed = false;
  #reloading: Promise<unknown> = Promise.resolve();
  #watch: FileWatch | undefined;

  constructor(first: Assembly, parts: LiveBoardParts) {
    const { resources, read, executor, approve, mode, cwd } = parts;
    this.#resources = resources;
    resources.stand(this);
    resources.onChanged = () => this.#composeSoon();
    resources.onFeatureEvent = (event) => this.#passOn(event);
    this.#read = read;
    this.#mode = mode;
    // Calls in flight finish on the reading they began on, so its connections and secrets stay until then.
    this.#assemblies = new BoardAssemblies(first, () => this.#sweep());
    this.approvals = new LateApprovals({
      approve,
      store: () => this.sealed,
      keepsAll: () => resources.hasOwnPlace(this.#current.storePlace, this.files.length > 0),
      files: () => this.files,
      findTool: (name) => this.registry.get(name),
      definition: {
        entryOf: (name) => this.#current.composed.entryOf(name),
        servers: () => this.#servers,
        redact: (value) => this.#resources.secretLists.redactor.data(value),
      },
      reload: () => this.reload(),
      note: (row) => this.#recording.recordAnswer(row),
      waits: ({ id, tool }) => this.#events.emit('approval-waits', { id, tool }),
      notifyFailed: (id, message) => this.#events.emit('notify-failed', { id, message: this.redact(message) }),
      env: resources.env,
      cwd,
      closed: resources.closed,
    });
    this.executor = this.#createExecutor(executor);
    this.registry = new ToolRegistry({ executor: this.executor });
    this.registry.absent = this.#arrivals;
    this.#follow(first);
    this.#equipped = this.#toolsOf(first);
    this.registry.registerMany(this.#equipped.tools);
  }

  feature<Api>(wanted: Feature<Api>): Api | undefined {
    return findApi(this.#current.features, wanted);
  }

  /** The record, which every board has. */
  get #recording(): BoardRecording {
    return requireApi(this.#current.features, record);
  }

  get #discovery(): BoardDiscovery {
    return requireApi(this.#current.features, discovery);
  }

  get #current(): Assembly {
    return this.#assemblies.current;
  }

  get index(): Board['index'] {
    return this.#discovery.index;
  }

  get pinned(): readonly string[] {
    return this.#discovery.settings.pinned.filter((name) => this.registry.has(name));
  }

  get data(): string {
    return this.#current.storePlace.folder;
  }

  get store(): Board['store'] {
    return this.#resources.store(this.#current.storePlace);
  }

  get sealed(): KeyedStore {
    return this.#resources.sealedStore(this.#current.storePlace);
  }

  async checkStore(): Promise<void> {
    await this.#resources.storeKey(this.#current.storePlace);
  }

  get calls(): Board['calls'] {
    return this.#recording.calls;
  }

  get audit(): Board['audit'] {
    return this.#recording.audit;
  }

  get processes(): Board['processes'] {
    return this.#resources.processes;
  }

  get outputs(): Board['outputs'] {
    return this.#resources.outputs;
  }

  get files(): readonly LoadedFile[] {
    return this.#current.files.filter(({ isInline }) => !isInline);
  }

  get plugins(): Board['plugins'] {
    return this.#current.plugins;
  }

  get features(): readonly BoardFeature[] {
    return this.#current.features.map(toBoardFeature);
  }

  get diagnostics(): Board['diagnostics'] {
    return this.#equipped.diagnostics;
  }

  get servers(): readonly BoardServer[] {
    return this.#servers.map((server) => toBoardServer(server, this.#mode));
  }

  get #servers(): readonly SharedServer[] {
    return this.#current.features.flatMap(({ open }) => open.servers ?? []);
  }

  get unavailable(): Board['unavailable'] {
    return this.#current.composed.unavailable.flatMap((name) => {
      const reason = this.#current.explainAbsence(name);
      return reason === undefined ? [] : [{ name, reason }];
    });
  }

  get searchWords(): SearchWords {
    return this.#current.composed.searchWords;
  }

  get list(): ToolList {
    return this.#current.composed.list;
  }

  get lock(): Board['lock'] {
    return requireApi(this.#current.features, lock).of(this.list).lock;
  }

  knowledge: Board['knowledge'] = () => this.#current.knowledge();
  logins: Board['logins'] = () => this.#current.logins();

  async ready({ retry = false, signal }: ReadyOptions = {}): Promise<readonly BoardServer[]> {
    await unlessAborted(Promise.all([this.#arrivals.ready(retry), this.#discovery.settled()]), signal);
    return this.servers.filter(({ offered }) => offered === undefined);
  }

  call: Board['call'] = (...wanted) => this.registry.call(...wanted);

  search(query: string, options?: RankOptions): Tool[] {
    return this.index.rank(query, options).hits.flatMap(({ name }) => this.registry.get(name) ?? []);
  }

  redact(text: string): string {
    return this.#resources.secretLists.redactor.text(text);
  }

  async dryRun(name: string, args: unknown = {}): ReturnType<Board['dryRun']> {
    if (this.registry.find(name) === undefined) await this.#arrivals.arrival(name, 'ask');
    return this.#current.dryRun(this.registry.get(name)?.metadata.name ?? name, args);
  }

  /** One after the other: two changes at once must not overtake each other. */
  reload(): ReturnType<Board['reload']> {
    const turn = this.#reloading.then(
      () => this.#reload(),
      () => this.#reload(),
    );
    this.#reloading = turn;
    return turn;
  }

  on: Board['on'] = (event, listener) => this.#events.on(event, listener);

  /** Reloads when a file changes, until the board is closed. */
  watch(): void {
    this.#watch ??= new FileWatch({
      files: () => this.#current.watched,
      isOpen: () => requireApi(this.#current.features, policy).isOpen,
      reload: () => this.reload(),
      refuse: (error) => this.#events.emit('reload-failed', { error }),
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.stop();
    // A reload may wait for a server; one that it starts meanwhile is ended after it.
    await Promise.all([this.#reloading, this.#resources.disconnect()]);
    await this.#resources.disconnect();
    await this.approvals.close();
    await this.#resources.endCalls();
    await this.#resources.close();
  }

  #createExecutor(options: ExecutorOptions): ToolExecutor {
    const { outputs, secretLists } = this.#resources;
    return new ToolExecutor({
      ...options,
      secrets: () => secretLists.redactor,
      maxValues: options.maxValues ?? (() => this.#featureCalls.limits.maxValues),
      maxModelOutput: options.maxModelOutput ?? (() => this.#featureCalls.limits.maxModelOutput),
      // Without the tools that read them, kept texts would be of no use.
      keepOutput: (text, context) =>
        this.registry.has('output_read') ? outputsFor(context, outputs).keep(text) : undefined,
      recorder: this.#featureCalls.recorder,
      spans: this.#featureCalls.spans,
      approvals: this.approvals,
      lease: (tool) => {
        const end = this.#assemblies.begin(tool);
        return this.#watch?.begin(tool, end) ?? end;
      },
      // Asked again after a person answered: the policy may have changed while they made up their mind.
      guard: async (request) => {
        if (this.#mode === 'look') return refuseToRun(request);
        const changed = this.#checkUnchanged(request);
        return (await this.#current.guard(request)) ?? changed;
      },
      reserve: () => this.#current.reserve,
      isGuarded: (tool, args) => this.#mode === 'look' || this.#current.isGuarded(tool, args),
    });
  }

  async #reload(): ReturnType<Board['reload']> {
    this.#isReading = true;
    try {
      // A reading would start what nothing closes any more.
      if (this.#isClosed) throw new Error('the board is closed. Open it again.');
      this.#watch?.accept();
      const next = await this.#read();
      // Servers may have changed while the files were read.
      while (!next.isFresh()) await next.renew();
      const equipped = this.#toolsOf(next);
      this.registry.replaceAll(equipped.tools);
      this.#assemblies.replace(next);
      this.#equipped = equipped;
      this.#discovery.follow();
      this.#follow(next);
      this.offers.compare();
    } catch (thrown) {
      const error = toConfigError(
        thrown,
        this.files.map(({ file }) => file),
      );
      await this.#resources.features.abandon();
      this.#events.emit('reload-failed', { error });
      return { ok: false, error };
    } finally {
      this.#isReading = false;
      this.#sweep();
    }
    this.#events.emit('reloaded', { files: this.files, diagnostics: this.diagnostics });
    return { ok: true };
  }

  /** Lets the features of a reading take part in calls from now on. */
  #follow(assembly: Assembly): void {
    this.#resources.features.use(assembly.features);
    this.#featureCalls.follow(assembly.features, this.executor.hooks);
    for (const { open } of assembly.features) open.started?.();
  }

  /** Passes an event of a feature on to those who listen. */
  #passOn(event: FeatureEvent): void {
    switch (event.type) {
      case 'server-changed':
        return this.#events.emit(event.type, { server: event.server, diagnostics: this.diagnostics });
      case 'server-failed':
        return this.#events.emit(event.type, { server: event.server, failure: event.failure });
      case 'resources-changed':
        return this.offers.resourcesChanged();
      case 'logged':
        return this.offers.logged(event.line);
    }
  }

  /** Composes the list of tools once for all features that change in one turn. */
  #composeSoon(): Promise<void> {
    return (this.#composing ??= Promise.resolve()
      .then(() => {
        this.#composing = undefined;
        return this.#recompose(this.#current);
      })
      .catch((error: unknown) => this.#events.emit('reload-failed', { error: toConfigError(error, []) })));
  }

  /** Puts the tools that features offer now on the board, unless another reading has taken its place. */
  async #recompose(assembly: Assembly): Promise<void> {
    await assembly.renew();
    if (assembly !== this.#current) return;
    this.#equipped = this.#toolsOf(assembly);
    this.registry.replaceAll(this.#equipped.tools);
    this.offers.compare();
  }

  /** The tools of a reading with those for finding others. */
  #toolsOf(assembly: Assembly): EquippedTools {
    const bound = assembly.composed.tools.map((tool) => this.#assemblies.bind(tool, assembly, this.executor));
    const { tools, diagnostics } = requireApi(assembly.features, discovery).equip(bound, assembly.files);
    return {
      tools,
      // Diagnostics about servers change without other tools.
      get diagnostics() {
        return [...assembly.diagnostics, ...diagnostics];
      },
    };
  }

  /** Closes what no reading in use needs; not while another takes up servers and connections. */
  #sweep(): void {
    if (!this.#isReading) this.#resources.keepOnly(this.#assemblies.inUse);
  }
}
