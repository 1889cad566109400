import { isDeepStrictEqual } from 'node:util';
import type { SecretList } from '../../guard/secrets/secret-lists.ts';
import type { DryRun, KindHost } from '../../kinds/kind.ts';
import { cleanDiagnostics, ConfigError, type Diagnostic, throwErrors } from '../../load/diagnostics/diagnostic.ts';
import type { WantedTool } from '../../load/features/tool-list.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import { findStorePlace, type StorePlace, watchedFiles, workingFolder } from '../../load/data-folder.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { BoardSetup } from '../board-setup.ts';
import type { OpenedFeature } from '../features/board-features.ts';
import { createFeatureBoard } from '../features/feature-host.ts';
import { type FeatureGuards, joinGuards } from '../features/feature-calls.ts';
import { type CheckedConfig, checkConfig } from './check-config.ts';
import { type ComposedList, composeList } from './compose-list.ts';
import { dryRunTool, explainAbsence } from './explain-tool.ts';
import { type ListParts, wantedTool } from './list-draft.ts';
import { type KeptTools, makeEntryTools } from './make-tools.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** A reading of the files: their features and tools. */
export interface Assembly extends Pick<LoadedConfig, 'files' | 'plugins'>, Omit<FeatureGuards, 'foresee'> {
  /** The features that are open with its settings. */
  readonly features: readonly OpenedFeature[];
  /** The location of the board's store. */
  readonly storePlace: StorePlace;
  /** The list of tools that was composed last. */
  readonly composed: ComposedList;
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute paths of files whose changes matter. */
  readonly watched: readonly string[];
  dryRun(name: string, args: unknown): Promise<DryRun>;
  /** Explains why a tool of this name is disabled; `undefined` for any other name. */
  explainAbsence(name: string): string | undefined;
  /** Describes a tool that is not on the board, for features that may add it. */
  wantedTool(name: string): WantedTool;
  /** Returns true when its tools are those that features currently offer. */
  isFresh(): boolean;
  /** Composes the list of tools again if it is outdated. */
  renew(): Promise<void>;
  /** Releases connections and secrets that no call needs; a later call opens connections again. */
  rest(): void;
  /** Registers its secrets again: a call of one of its tools starts. */
  wake(): void;
}

/** Creates the tools of loaded files. Throws a `ConfigError` with all faults, if any, without secrets. */
export async function assemble(read: LoadedConfig, setup: BoardSetup): Promise<Assembly> {
  const { features, resources, cwd } = setup;
  const reading = { builtIn: features, plugged: read.features, files: read.files, cwd };
  const loaded = { ...read, files: [...read.files, ...(await resources.features.files(reading, setup))] };
  const secrets = resources.secretLists.open(loaded.files.flatMap((file) => file.secrets()));
  try {
    return await build(await checkConfig(loaded, setup, secrets), secrets);
  } catch (thrown) {
    const { redactor } = resources.secretLists;
    const isFault = thrown instanceof ConfigError;
    const clean = isFault
      ? new ConfigError(cleanDiagnostics(thrown.diagnostics, redactor))
      : new Error(redactor.text(messageOf(thrown)));
    secrets.retire();
    throw clean;
  }
}

async function build(checked: CheckedConfig, secrets: SecretList): Promise<Assembly> {
  const { config, entries, setup, diagnostics, isPartial } = checked;
  const { files, plugins } = config;
  const { cwd, resources, mode, options } = setup;
  const store = typeof options.store === 'string' ? options.store : undefined;
  const storePlace = findStorePlace(files, { ...setup, store });
  if (storePlace.url !== undefined) secrets.add(passwordsOf(storePlace.url));
  const features = await resources.features.open(
    { builtIn: setup.features, plugged: config.features, files, cwd },
    createFeatureBoard(setup, { place: storePlace, files, plugins }),
  );
  const host = createHost(setup, { files, place: storePlace, features });
  const kept: KeptTools = { host: features.map(({ open }) => open.kindKey), entries: new Map() };
  const before = isDeepStrictEqual(setup.kept.latest?.host, kept.host) ? setup.kept.latest : undefined;
  const made = await makeEntryTools(entries, { host, mode, before, kept });
  diagnostics.push(...made.diagnostics);
  if (!isPartial) throwErrors(diagnostics);
  const parts: ListParts = { config, setup, entries, made, host, features };
  let used = -1;
  const compose = (): Promise<ComposedList> => {
    used = resources.changes;
    return composeList(parts);
  };
  let composed = await compose();
  let renewing = Promise.resolve();
  // Warnings come after the errors: they may be about a placeholder for a faulty entry.
  throwErrors([...diagnostics, ...composed.diagnostics.filter(({ severity }) => !isPartial || severity === 'error')]);
  setup.kept.latest = kept;
  const isFresh = (): boolean => used === resources.changes;
  const { foresee, ...guards } = joinGuards(features);
  return {
    files,
    plugins,
    features,
    storePlace,
    ...guards,
    get composed() {
      return composed;
    },
    get diagnostics() {
      const own = features.flatMap(({ open }) => open.diagnostics?.() ?? []);
      return [...diagnostics, ...cleanDiagnostics(own, resources.secretLists.redactor), ...composed.diagnostics];
    },
    watched: [
      ...files.flatMap((file) => watchedFiles(file, cwd)),
      ...features.flatMap(({ open }) => open.watched?.() ?? []),
    ],
    dryRun: (name, args) => dryRunTool({ name, args }, { parts, composed, foresee }),
    explainAbsence: (name) => composed.refused.get(name) ?? explainAbsence(name, parts, composed),
    wantedTool: (name) => wantedTool(name, entries),
    isFresh,
    // One at a time: an earlier composition that ends later would restore an older list.
    renew: () => {
      const turn = renewing.then(async () => {
        if (!isFresh()) composed = await compose();
      });
      renewing = turn.catch(() => {});
      return turn;
    },
    rest: () => {
      secrets.retire();
      void resources.clients.rest();
    },
    wake: () => secrets.use(),
  };
}

/** Returns the password in a URL, as written and decoded. */
function passwordsOf(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

/** The parts of the host that depend on one reading of the files. */
interface HostParts {
  readonly files: readonly LoadedFile[];
  readonly place: StorePlace;
  readonly features: readonly OpenedFeature[];
}

/** Creates the host of kinds from the board and its features. */
function createHost(setup: BoardSetup, { files, place, features }: HostParts): KindHost {
  const { resources, env, ask } = setup;
  const { outputs, processes, closed, clients, secretLists } = resources;
  type Lent = Pick<KindHost, 'knowledge' | 'apiTokens' | 'programs'> & Partial<KindHost>;
  // Built-in features provide these parts.
  const lent = Object.assign({}, ...features.map(({ open }) => open.kindHost)) as Lent;
  return {
    env,
    cwd: workingFolder(files, setup),
    data: place.folder,
    outputs,
    spawner: undefined,
    processes,
    prefix: [],
    closed,
    ask,
    redact: (text) => secretLists.redactor.cut(text),
    httpClient: (named) => clients.get(named),
    // A board without servers does not open their feature.
    serverTool: (_entry, { server }) => ({
      tools: [],
      faults: [{ path: ['server'], message: `there is no server "${server}". There is none under mcpServers.` }],
    }),
    ...lent,
  };
}
