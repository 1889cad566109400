import { ToolExecutor } from '../pipeline/tool-executor.ts';
import { unlessAborted } from '../platform/unless-aborted.ts';
import type { KeyedStore } from '../platform/store/sealed-space.ts';
import type { FeatureEvents } from '../load/features/feature-host.ts';
import type { Feature } from '../load/features/feature.ts';
import type { CompletedTools } from '../load/features/open-feature.ts';
import type { ToolList } from '../load/features/tool-list.ts';
import { Emitter } from '../tool/emitter.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Assembly } from './assembly/assemble.ts';
import { refuseToRun } from './assembly/look.ts';
import { openBoardChanges } from './changes/board-changes.ts';
import { createArrivals, BoardAssemblies } from './board-assemblies.ts';
import type { BoardCore, BoardEvents } from './board-core.ts';
import type { BoardReader } from './board-reader.ts';
import type { BoardSetup } from './board-setup.ts';
import { FeatureCalls, findApi, toBoardFeature } from './features/feature-calls.ts';
import { LiveOffers } from './offers/live-offers.ts';
import { toConfigError } from './read-board.ts';
import { ToolRegistry } from './registry/tool-registry.ts';

/** A board over the latest reading of its files: reads them, opens changed features, swaps readings, and lets running calls end. */
export class LiveBoard implements BoardCore {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly offers: LiveOffers = new LiveOffers(() => this.#current);
  readonly #setup: BoardSetup;
  readonly #reader: BoardReader;
  readonly #assemblies: BoardAssemblies;
  readonly #events = new Emitter<BoardEvents>();
  readonly #calls = new FeatureCalls();
  readonly #arrivals = createArrivals(
    () => this.#current,
    (name) => this.registry.find(name) !== undefined,
  );
  #completed: CompletedTools = { tools: [], diagnostics: [] };
  #changes: BoardCore['changes'] | undefined;
  #composing: Promise<void> | undefined;
  #isReading = false;
  #isClosed = false;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(first: Assembly, setup: BoardSetup, reader: BoardReader) {
    this.#setup = setup;
    this.#reader = reader;
    const { resources } = setup;
    resources.onChanged = () => this.#composeSoon();
    resources.emit = (...event) => this.#passOn(...event);
    // Running calls finish with the reading they began on, so its connections and secrets stay until then.
    this.#assemblies = new BoardAssemblies(first, () => this.#sweep());
    this.executor = this.#createExecutor();
    this.registry = new ToolRegistry({ executor: this.executor });
    this.registry.absent = this.#arrivals;
  }

  get #current(): Assembly {
    return this.#assemblies.current;
  }

  feature<Api>(wanted: Feature<Api>): Api | undefined {
    return findApi(this.#current.features, wanted);
  }

  api<Api>(wanted: Feature<Api>): Api {
    const found = this.feature(wanted);
    if (found !== undefined) return found;
    const keys = Object.keys(wanted.sections).join(', ');
    const message = `The feature "${wanted.name}" is off: no file of the board has its section (${keys}).`;
    throw new ToolError({ code: 'invalid_config', message });
  }

  get features(): BoardCore['features'] {
    return this.#current.features.map(toBoardFeature);
  }

  get data(): string {
    return this.#current.storePlace.folder;
  }

  get store(): BoardCore['store'] {
    return this.#setup.resources.store(this.#current.storePlace);
  }

  get sealed(): KeyedStore {
    return this.#setup.resources.sealedStore(this.#current.storePlace);
  }

  async checkStore(): Promise<void> {
    await this.#setup.resources.storeKey(this.#current.storePlace);
  }

  get changes(): BoardCore['changes'] {
    return (this.#changes ??= openBoardChanges(this.#setup));
  }

  get processes(): BoardCore['processes'] {
    return this.#setup.resources.processes;
  }

  get outputs(): BoardCore['outputs'] {
    return this.#setup.resources.outputs;
  }

  get files(): BoardCore['files'] {
    return this.#current.files.filter(({ isInline }) => !isInline);
  }

  get plugins(): BoardCore['plugins'] {
    return this.#current.plugins;
  }

  get diagnostics(): BoardCore['diagnostics'] {
    // Diagnostics about servers change independently of tools.
    return [...this.#current.diagnostics, ...this.#completed.diagnostics, ...this.#reader.warnings];
  }

  get unavailable(): BoardCore['unavailable'] {
    return this.#current.composed.unavailable.flatMap((name) => {
      const reason = this.#current.explainAbsence(name);
      return reason === undefined ? [] : [{ name, reason }];
    });
  }

  /** The current tools of the board. */
  get list(): ToolList {
    return this.#current.composed.list;
  }

  call: BoardCore['call'] = (...wanted) => this.registry.call(...wanted);

  redact(text: string): string {
    return this.#setup.resources.secretLists.redactor.text(text);
  }

  async dryRun(name: string, args: unknown = {}): ReturnType<BoardCore['dryRun']> {
    if (this.registry.find(name) === undefined) await this.#arrivals.arrival(name, 'ask');
    return this.#current.dryRun(this.registry.get(name)?.metadata.name ?? name, args);
  }

  on: BoardCore['on'] = (event, listener) => this.#events.on(event, listener);

  /** Puts the tools of the first reading on the board, once features can use the board. */
  start(): void {
    this.#adopt(this.#current);
  }

  /** Waits for the tools that features may still add; `retry` contacts failed sources again. */
  async settled(retry: boolean, signal: AbortSignal | undefined): Promise<void> {
    await unlessAborted(this.#arrivals.ready(retry), signal);
  }

  /** One at a time: simultaneous changes must not overtake each other. */
  reload(): ReturnType<BoardCore['reload']> {
    const turn = this.#reloading.then(
      () => this.#reload(),
      () => this.#reload(),
    );
    this.#reloading = turn;
    return turn;
  }

  /** Reloads when a file changes, until the board is closed. */
  watch(): void {
    this.#reader.watch({
      files: () => this.#current.watched,
      isOpen: () => !this.#current.features.some(({ open }) => open.protectsFiles === true),
      reload: () => this.reload(),
      refuse: (error) => this.#events.emit('reload-failed', { error }),
    });
  }

  async close(): Promise<void> {
    const { resources } = this.#setup;
    this.#isClosed = true;
    await this.#reader.stop();
    // A reload may wait for a server; a server that it starts meanwhile must be ended afterwards.
    await Promise.all([this.#reloading, resources.disconnect()]);
    await resources.disconnect();
    await resources.close();
  }

  #createExecutor(): ToolExecutor {
    const { options, resources, mode } = this.#setup;
    return new ToolExecutor({
      ...options,
      ...this.#calls.parts(options),
      secrets: () => resources.secretLists.redactor,
      lease: (tool) => {
        const end = this.#assemblies.begin(tool);
        return this.#reader.begin(tool, end);
      },
      // Judges again after a person has answered, because the policy may have changed while they decided.
      guard: (request) => (mode === 'look' ? refuseToRun(request) : this.#current.guard(request)),
      reserve: () => this.#current.reserve,
      isGuarded: (tool, args) => mode === 'look' || this.#current.isGuarded(tool, args),
    });
  }

  async #reload(): ReturnType<BoardCore['reload']> {
    this.#isReading = true;
    try {
      // Nothing would close what this reading starts.
      if (this.#isClosed) throw new Error('the board is closed. Open it again.');
      const read = await this.#reader.next();
      if (read.type === 'wait') {
        if (read.isNew) this.#events.emit('reload-waiting', { change: read.change });
        return { ok: false, error: read.error };
      }
      const next = read.assembly;
      // Servers may have changed while the files were read.
      while (!next.isFresh()) await next.renew();
      this.#adopt(next);
      read.accept();
    } catch (thrown) {
      const error = toConfigError(
        thrown,
        this.files.map(({ file }) => file),
      );
      await this.#setup.resources.features.abandon();
      this.#events.emit('reload-failed', { error });
      return { ok: false, error };
    } finally {
      this.#isReading = false;
      this.#sweep();
    }
    this.#events.emit('reloaded', { files: this.files, diagnostics: this.diagnostics });
    return { ok: true };
  }

  /** Replaces the current reading: its tools, and its features for all calls from now on. */
  #adopt(next: Assembly): void {
    this.#swap(next);
    this.#assemblies.replace(next);
    this.#setup.resources.features.use(next.features);
    this.#calls.follow(next.features, this.executor.hooks);
    for (const { open } of next.features) open.started?.();
    this.offers.compare();
  }

  /** Puts the tools of a reading on the board, including those that features add at the end. */
  #swap(assembly: Assembly): void {
    const bound = assembly.composed.tools.map((tool) => this.#assemblies.bind(tool, assembly, this.executor));
    const completed = assembly.features.reduce<CompletedTools>(
      ({ tools, diagnostics }, { open }) => {
        const added = open.complete?.(tools, assembly.files);
        return added === undefined
          ? { tools, diagnostics }
          : { tools: added.tools, diagnostics: [...diagnostics, ...added.diagnostics] };
      },
      { tools: bound, diagnostics: [] },
    );
    this.registry.replaceAll(completed.tools);
    this.#completed = completed;
  }

  /** Composes the list of tools once for all features that change in the same turn. */
  #composeSoon(): Promise<void> {
    return (this.#composing ??= Promise.resolve()
      .then(async () => {
        this.#composing = undefined;
        const assembly = this.#current;
        await assembly.renew();
        // Another reading may have replaced it.
        if (assembly !== this.#current) return;
        this.#swap(assembly);
        this.offers.compare();
      })
      .catch((error: unknown) => this.#events.emit('reload-failed', { error: toConfigError(error, []) })));
  }

  /** Forwards an event of a feature to listeners. */
  #passOn<E extends keyof FeatureEvents>(event: E, payload: FeatureEvents[E]): void {
    if (event === 'resources-changed') this.offers.resourcesChanged();
    // The payload of an event has the event's own type.
    else if (event === 'logged') this.offers.logged(payload as FeatureEvents['logged']);
    else this.#events.emit(event, payload as BoardEvents[E]);
  }

  /** Closes features that no reading in use needs, but not while another feature takes over their connections. */
  #sweep(): void {
    if (this.#isReading) return;
    void this.#setup.resources.features.keepOnly(this.#assemblies.inUse.map(({ features }) => features));
  }
}
