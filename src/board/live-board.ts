import { Emitter } from '../tool/emitter.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';
import type { SearchWords } from '../discovery/index-source.ts';
import type { RankOptions } from '../discovery/search-options.ts';
import { toSentence } from '../kinds/broken/broken.ts';
import { outputsFor } from '../platform/outputs/outputs-for.ts';
import type { BoardMode } from '../load/board-mode.ts';
import type { LoadedFile } from '../load/loaded-file.ts';
import type { SharedServer } from '../mcp/client/shared-server.ts';
import type { Feature } from '../load/features/feature.ts';
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
import { BoardAssemblies } from './board-assemblies.ts';
import type { EquippedTools } from '../features/discovery/add-meta-tools.ts';
import type { BoardDiscovery } from '../features/discovery/board-discovery.ts';
import { discovery } from '../features/discovery/feature.ts';
import type { BoardRecording } from '../features/record/board-recording.ts';
import { lock } from '../features/lock/feature.ts';
import { policy } from '../features/policy/feature.ts';
import { record } from '../features/record/feature.ts';
import type { BoardResources } from './board-resources.ts';
import type { LiveBoardParts } from './live-board-parts.ts';
import type { Board, BoardEvents, BoardFeature, BoardServer, ReadyOptions } from './board.ts';
import { LiveOffers } from './offers/live-offers.ts';
import { refuseToRun } from './assembly/look.ts';
import { toConfigError } from './assembly/read-board.ts';
import type { Absence } from './registry/absent-tools.ts';
import { ToolRegistry } from './registry/tool-registry.ts';
import { ServerArrivals } from './servers/server-arrivals.ts';
import { toBoardServer } from './servers/to-board-server.ts';
import { FileWatch } from './file-watch.ts';

/** A board over the latest reading of its files, and how it takes up the next one. */
export class LiveBoard implements Board {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly runs: Board['runs'] = openRuns(() => this.sealed);
  readonly offers: LiveOffers = new LiveOffers(() => this.#current);
  readonly #resources: BoardResources;
  readonly #read: () => Promise<Assembly>;
  readonly #assemblies: BoardAssemblies;
  readonly #events = new Emitter<BoardEvents>();
  readonly #arrivals: ServerArrivals;
  readonly #isAsking: boolean;
  readonly #mode: BoardMode;
  readonly #checkUnchanged = createUnchangedCheck({ find: (name) => this.registry.get(name), lock: () => this.lock });
  readonly approvals: LateApprovals;
  #equipped: EquippedTools;
  readonly #featureCalls = new FeatureCalls();
  /** Offers of servers that are being put on the board: a call of one of their tools waits. */
  readonly #takingUp = new Set<Promise<void>>();
  #composing: Promise<unknown> | undefined;
  #isReading = false;
  #isClosed = false;
  #reloading: Promise<unknown> = Promise.resolve();
  #watch: FileWatch | undefined;

  constructor(first: Assembly, parts: LiveBoardParts) {
    const { resources, read, executor, approve, isAsking, mode, cwd } = parts;
    this.#resources = resources;
    resources.stand(this);
    resources.onFeatureChanged = () => this.#composeSoon();
    this.#read = read;
    this.#isAsking = isAsking;
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
        entryOf: (name) => this.#current.entryOf(name),
        servers: () => this.#current.servers,
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
    this.#arrivals = new ServerArrivals({
      servers: () => this.#current.servers,
      ownersOf: (name) => this.#current.ownersOf(name),
      underWay: () => (this.#takingUp.size === 0 ? undefined : Promise.allSettled(this.#takingUp)),
      isThere: (name) => this.registry.find(name) !== undefined,
      mayAsk: mode === 'run',
    });
    this.registry.absent = {
      arrival: (name, wish) => this.#arrivals.arrival(name, wish),
      explain: (name) => this.#explainAbsence(name),
      denial: (name) => this.#current.denied.get(name),
    };
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
    return this.#current.data;
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
    return this.#current.servers.map((server) => toBoardServer(server, this.#mode));
  }

  get unavailable(): Board['unavailable'] {
    return this.#current.unavailable.flatMap((name) => {
      const reason = this.#current.explainAbsence(name);
      return reason === undefined ? [] : [{ name, reason }];
    });
  }

  get searchWords(): SearchWords {
    return this.#current.searchWords;
  }

  get list(): ToolList {
    return this.#current.list;
  }

  get lock(): Board['lock'] {
    return requireApi(this.#current.features, lock).of(this.list).lock;
  }

  knowledge: Board['knowledge'] = () => this.#current.knowledge();
  logins: Board['logins'] = () => this.#current.logins();

  async ready({ retry = false, signal }: ReadyOptions = {}): Promise<readonly BoardServer[]> {
    await unlessAborted(Promise.all([this.#arrivals.all(retry), this.#discovery.settled()]), signal);
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
    this.#arrivals.stop();
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
      // What servers said while the files were read.
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

  /** Runs the hooks of features from now on, and takes up what servers offer. */
  #follow(assembly: Assembly): void {
    this.#resources.features.use(assembly.features);
    this.#featureCalls.follow(assembly.features, this.executor.hooks);
    for (const server of assembly.servers) {
      server.onOffer = () => {
        const work = this.#takeUp(server, assembly);
        this.#takingUp.add(work);
        return work.finally(() => this.#takingUp.delete(work));
      };
      server.onResources = () => this.offers.resourcesChanged();
      server.onLog = this.offers.logged;
      server.onFailure = (_, failure) => {
        this.#events.emit('server-failed', { server: server.settings.name, failure });
        if (this.#isAsking) this.#arrivals.askSoon();
      };
    }
    if (this.#isAsking && assembly.servers.length > 0) this.#arrivals.askSoon();
  }

  async #takeUp(server: SharedServer, assembly: Assembly): Promise<void> {
    if (!(await this.#recompose(assembly))) return;
    this.#events.emit('server-changed', { server: server.settings.name, diagnostics: this.diagnostics });
  }

  /** Composes the list of tools once for all features that change in one turn. */
  #composeSoon(): void {
    this.#composing ??= Promise.resolve().then(async () => {
      this.#composing = undefined;
      await this.#recompose(this.#current);
    });
    this.#composing.catch((error: unknown) => this.#events.emit('reload-failed', { error: toConfigError(error, []) }));
  }

  /** Puts the tools as servers and features offer them now on the board; false when another reading has taken its place. */
  async #recompose(assembly: Assembly): Promise<boolean> {
    await assembly.renew();
    if (assembly !== this.#current) return false;
    this.#equipped = this.#toolsOf(assembly);
    this.registry.replaceAll(this.#equipped.tools);
    this.offers.compare();
    return true;
  }

  #explainAbsence(name: string): Absence | undefined {
    const reason = this.#current.explainAbsence(name);
    if (reason === undefined) return this.#arrivals.explain(name);
    const error = new ToolError({ code: 'not_found', message: toSentence(reason), toolName: name });
    return { type: 'known', error };
  }

  /** The tools of a reading with those for finding others. */
  #toolsOf(assembly: Assembly): EquippedTools {
    const bound = assembly.tools.map((tool) => this.#assemblies.bind(tool, assembly, this.executor));
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
