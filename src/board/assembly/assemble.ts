import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '../../tool/tool.ts';
import { dryRun } from '../../kinds/dry-run.ts';
import type { DryRun } from '../../kinds/dry-step.ts';
import type { EntryFault, Environment, KindHost, ToolEntry } from '../../kinds/kind.ts';
import { inTime } from '../../kinds/in-time.ts';
import { toThrownFault } from '../../kinds/thrown-fault.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { createFeatureBoard, type OpenedFeature } from '../features/board-features.ts';
import { BUILT_IN_FEATURES } from '../../features/built-in-features.ts';
import { checkDataPlace } from '../checks/check-data-place.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { knowledgeDrivers } from '../../load/plugins/define-plugin.ts';
import { collectEntries, warnOfTwo } from './collect-entries.ts';
import type { Feature } from '../../load/features/feature.ts';
import { type CombinedTools, combineTools } from './combine-tools.ts';
import { createHost } from './create-host.ts';
import type { LoadedSkills } from '../offers/own-skills.ts';
import { type BoardLogin, findLogins } from './find-logins.ts';
import { findStorePlace, type StorePlace } from '../../load/store-place.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import { boardName, watchedFiles, workingFolder } from '../../load/data-folder.ts';
import { cleanDiagnostics, ConfigError, type Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { NamedSecret } from '../../guard/secrets/secret-names.ts';
import { explainWeakSecret } from '../../load/variables/weak-secret.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { explainAbsence } from './explain-absence.ts';
import { checkDespiteErrors } from './check-despite-errors.ts';
import { excuseLooking, explainLeftOut } from './look.ts';
import { keepTools, type KeptTools, toDiagnostic } from './make-tools.ts';
import { knowledge } from '../../features/knowledge/feature.ts';
import { requireApi } from '../features/feature-calls.ts';
import { redactError } from '../../pipeline/finish-result.ts';
import { toToolError } from '../../pipeline/to-tool-error.ts';
import type { PossibleOwner } from '../servers/live-servers.ts';
import { openServers } from '../servers/open-servers.ts';
import { type ConfiguredServer, readServers } from '../servers/read-servers.ts';
import { type PassedSecret, passwordsOf, serverSecrets } from './passed-secrets.ts';
import type { SecretList } from '../../guard/secrets/secret-lists.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** A board's tools and everything that hangs on them, from one reading of its files. */
export interface Assembly extends Omit<CombinedTools, 'foresee'> {
  readonly files: readonly LoadedFile[];
  /** The plugins of code and of the files. */
  readonly plugins: LoadedConfig['plugins'];
  readonly servers: readonly SharedServer[];
  /** The features that are open with its settings. */
  readonly features: readonly OpenedFeature[];
  /** The folder for what the board keeps. */
  readonly data: string;
  /** The folder that paths of its files start from. */
  readonly cwd: string;
  /** Where the board's store is. */
  readonly storePlace: StorePlace;
  /** The collections of the files. */
  knowledge(): Promise<Knowledge>;
  /** The APIs that a person logs in to. */
  logins(): Promise<readonly BoardLogin[]>;
  /** Absolute paths of all that a change in would matter. */
  readonly watched: readonly string[];
  dryRun(name: string, args: unknown): Promise<DryRun>;
  /** Why a tool of this name is off, if that is why it is not there. */
  explainAbsence(name: string): string | undefined;
  /** The servers of which nothing is known yet that may have a tool of this name. */
  ownersOf(name: string): readonly PossibleOwner[];
  /** Whether its tools are made of what the servers offer now. */
  isFresh(): boolean;
  /** Takes up what the servers offer now. */
  renew(): Promise<void>;
  /** Lets go of connections and secrets, as no call needs them now; a later call opens connections again. */
  rest(): void;
  /** Its secrets count again: a call of one of its tools begins. */
  wake(): void;
}

interface CheckedConfig {
  readonly config: LoadedConfig;
  readonly entries: ReadonlyMap<string, { readonly entry: ToolEntry; readonly file: LoadedFile }>;
  readonly servers: readonly ConfiguredServer[];
  readonly options: AssembleOptions;
  readonly diagnostics: Diagnostic[];
  /** Whether what has faults was put aside, to find further ones in the rest. */
  readonly isPartial: boolean;
}

/** Makes the tools of loaded files. Throws a `ConfigError` with every fault when there is any, without secrets. */
export async function assemble(read: LoadedConfig, given: AssembleOptions): Promise<Assembly> {
  const skills = await skillsOf(read.files, given);
  const loaded: LoadedConfig = { ...read, files: [...read.files, ...(skills?.scripts ?? [])] };
  const secrets = given.secretLists.open(loaded.files.flatMap((file) => file.secrets()));
  try {
    const checked = await check(loaded, given, secrets);
    checked.diagnostics.push(...(skills?.diagnostics ?? []));
    return await build(checked, secrets, skills);
  } catch (thrown) {
    const { redactor } = given.secretLists;
    const isFault = thrown instanceof ConfigError;
    const clean = isFault
      ? new ConfigError(cleanDiagnostics(thrown.diagnostics, redactor))
      : new Error(redactor.text(messageOf(thrown)));
    secrets.retire();
    throw clean;
  }
}

async function check(loaded: LoadedConfig, given: AssembleOptions, secrets: SecretList): Promise<CheckedConfig> {
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const collected = collectEntries(loaded.files, diagnostics);
  const configured = readServers(loaded.files, given);
  const passed: PassedSecret[] = [];
  for (const { entry, file } of collected.values()) {
    const found = await checkEntry(entry, given.env);
    passed.push(...found.secrets.map((secret) => ({ ...secret, file, path: entry.path })));
    // Files of other people keep loading; their authors are told.
    const severity = file.dialect === 'climax' ? 'warning' : 'error';
    diagnostics.push(...found.faults.map((fault) => toDiagnostic({ severity, ...fault }, entry, file)));
  }
  passed.push(...serverSecrets(configured.servers));
  const drivers = knowledgeDrivers(loaded.plugins);
  const { files } = loaded;
  const addSecrets = (values: Iterable<string>): void => secrets.add(values);
  const reading = { features: featuresOf(loaded), files, cwd: given.cwd };
  diagnostics.push(
    ...configured.diagnostics,
    ...checkDataPlace(collected.values(), loaded.files, given),
    ...(await given.features.check(reading, { files, drivers, addSecrets })),
  );
  for (const { file, path, ...secret } of passed) {
    const weak = secrets.has(secret.value) ? undefined : explainWeakSecret(secret);
    if (weak !== undefined) diagnostics.push({ ...complain(file, path, weak.message), severity: weak.severity });
    secrets.add([secret.value]);
  }
  if (given.mode === 'look') diagnostics.splice(0, Infinity, ...excuseLooking(diagnostics, loaded));
  const next =
    hasErrors(diagnostics) && given.faults === 'all' ? checkDespiteErrors(loaded, collected, diagnostics) : undefined;
  if (next === undefined) throwErrors(diagnostics);
  // A stand-in is not what the lock says.
  const options: AssembleOptions =
    next === undefined
      ? given
      : { ...given, serverMode: 'cached', featureOptions: { ...given.featureOptions, lock: 'ignore' } };
  const { config, entries } = next ?? { config: loaded, entries: collected };
  const { servers } = configured;
  return { config, entries, servers, options, diagnostics, isPartial: next !== undefined };
}

/** What the kind of an entry finds wrong with it, and the secrets that it hands to the tools. What it throws is a fault of the entry. */
async function checkEntry(
  entry: ToolEntry,
  env: Environment,
): Promise<{ readonly faults: readonly EntryFault[]; readonly secrets: readonly NamedSecret[] }> {
  const { kind } = entry;
  try {
    return {
      secrets: kind.secrets?.(entry, env) ?? [],
      faults: (await inTime(kind, kind.check?.(entry, { env }))) ?? [],
    };
  } catch (error) {
    return { secrets: [], faults: [toThrownFault(error)] };
  }
}

/** The skills of the files: most boards have none, and need not load what reads them. */
async function skillsOf(files: readonly LoadedFile[], options: AssembleOptions): Promise<LoadedSkills | undefined> {
  if (files.every(({ skills }) => skills.length === 0)) return undefined;
  const { loadSkills } = await import('../offers/own-skills.ts');
  return loadSkills(files, options);
}

async function build(checked: CheckedConfig, secrets: SecretList, skills: LoadedSkills | undefined): Promise<Assembly> {
  const { config, entries, options, diagnostics, isPartial } = checked;
  const { redactor } = options.secretLists;
  const storePlace = findStorePlace(config.files, { ...options, store: options.storeUrl });
  const { folder: data } = storePlace;
  if (storePlace.url !== undefined) secrets.add(passwordsOf(storePlace.url));
  const tokenStore = (): SealedStore => options.sealedStore(storePlace);
  const board = await openServers(checked.servers, {
    ...options,
    data,
    board: boardName(config.files, options.cwd),
    tokenStore,
  });
  let changes = 0;
  const drivers = knowledgeDrivers(config.plugins);
  const features = await options.features.open(
    { features: featuresOf(config), files: config.files, cwd: options.cwd },
    createFeatureBoard(options, { place: storePlace, files: config.files, drivers }, () => {
      changes++;
      options.onFeatureChanged();
    }),
  );
  const collections = requireApi(features, knowledge);
  const lent: Partial<KindHost> = Object.assign({}, ...features.map(({ open }) => open.kindHost));
  const host: KindHost = {
    ...createHost(
      { ...options, cwd: workingFolder(config.files, options), tokenStore },
      { data, serverTool: (entry, place) => board.single(entry, place) },
    ),
    knowledge: () => collections.open(),
    ...lent,
  };
  const tools = new Map<string, { readonly tool: Tool; readonly entry: ToolEntry; readonly file: LoadedFile }>();
  const kept: KeptTools = {
    host: { ...collections.placed, prefix: host.prefix },
    entries: new Map(),
  };
  const before = isDeepStrictEqual(options.kept.latest?.host, kept.host) ? options.kept.latest : undefined;
  let lacksScripts = false;
  for (const [key, { entry, file }] of entries) {
    // Those are made with the tools of the servers.
    if (entry.kind.isLive) continue;
    const leftOut = options.mode === 'look' ? explainLeftOut(entry, file) : [];
    lacksScripts ||= diagnostics.push(...leftOut) > 0 && leftOut.length > 0;
    if (leftOut.length > 0) continue;
    const made = await keepTools(key, entry, { host, before, kept });
    diagnostics.push(...made.faults.map((fault) => toDiagnostic(fault, entry, file)));
    for (const tool of made.tools) {
      const { name } = tool.metadata;
      const other = tools.get(name);
      if (other !== undefined && other.tool !== tool) diagnostics.push(warnOfTwo(name, other, { entry, file }));
      tools.set(name, { tool, entry, file });
    }
  }
  if (!isPartial) throwErrors(diagnostics);
  if (options.serverMode === 'eager') await board.askAll();
  const ownersOf = (name: string): readonly PossibleOwner[] => {
    const single = [...entries.values()].find(({ entry }) => entry.kind.isLive && namesEntry(entry, name))?.entry;
    if (single === undefined) return board.ownersOf(name);
    const uses = new Set(single.kind.uses(single).map((use) => use.name));
    const owners = board.servers.filter(({ settings, manifest }) => manifest === undefined && uses.has(settings.name));
    return owners.map((server) => ({ server, isNamed: true }));
  };
  const offered = (): unknown[] => [...board.servers.map(({ manifest }) => manifest), changes];
  const isFresh = (): boolean => offered().every((manifest, index) => manifest === used[index]);
  let used: unknown[] = [];
  const combine = (): Promise<CombinedTools> => {
    used = offered();
    return combineTools({
      config,
      options,
      entries,
      tools,
      board,
      ownersOf,
      host,
      redactor,
      skills: skills?.skills ?? [],
      lacksScripts,
      features,
    });
  };
  let combined = await combine();
  let renewing = Promise.resolve();
  const report = (): Diagnostic[] => cleanDiagnostics(board.report(options.serverMode), redactor);
  // Warnings wait for the errors: they may be about a stand-in.
  const isTold = ({ severity }: Diagnostic): boolean => !isPartial || severity === 'error';
  throwErrors([...diagnostics, ...combined.diagnostics.filter(isTold)]);
  options.kept.latest = kept;
  return {
    files: config.files,
    plugins: config.plugins,
    get diagnostics() {
      const spoken = features.flatMap(({ open }) => open.diagnostics?.() ?? []);
      return [...diagnostics, ...report(), ...combined.diagnostics, ...cleanDiagnostics(spoken, redactor)];
    },
    get tools() {
      return combined.tools;
    },
    get unavailable() {
      return combined.unavailable;
    },
    get refused() {
      return combined.refused;
    },
    get denied() {
      return combined.denied;
    },
    explainAbsence: (name) =>
      combined.refused.get(name) ?? explainAbsence(name, { config, tools, unavailable: combined.unavailable }),
    ownersOf,
    isFresh,
    entryOf: (name) => combined.entryOf(name),
    get guard() {
      return combined.guard;
    },
    get reserve() {
      return combined.reserve;
    },
    isGuarded: (tool, args) => combined.isGuarded(tool, args),
    get list() {
      return combined.list;
    },
    get searchWords() {
      return combined.searchWords;
    },
    get offers() {
      return combined.offers;
    },
    servers: board.servers,
    features,
    data,
    storePlace,
    knowledge: () => collections.open(),
    logins: () =>
      findLogins(
        [...entries.values()].map(({ entry }) => entry),
        host,
      ),
    cwd: options.cwd,
    watched: [
      ...config.files.flatMap((file) => watchedFiles(file, options.cwd)),
      ...features.flatMap(({ open }) => open.watched?.() ?? []),
      ...(skills?.skills ?? []).map(({ skill }) => resolve(skill.folder, 'SKILL.md')),
    ],
    dryRun: async (name, args) => {
      // Tools of other servers have no entry here: what they do is for their server to say.
      const entry = combined.entryOf(name);
      const made = entry && tools.get(name)?.tool;
      const tool = made ?? combined.tools.find(({ metadata }) => metadata.name === name);
      try {
        const run = await dryRun(tool && { tool, entry }, args, {
          name,
          host,
          foresee: (judged, input) => combined.foresee(judged, input),
        });
        // What it prints is for people; the secrets in it are not.
        return redactor.data(run);
      } catch (thrown) {
        throw redactError(toToolError(thrown, name), redactor);
      }
    },
    // One after the other: an earlier one that ends later would bring back what it was made of.
    renew: () =>
      (renewing = renewing.then(async () => {
        if (!isFresh()) combined = await combine();
      })),
    rest: () => {
      secrets.retire();
      void options.clients.rest();
    },
    wake: () => secrets.use(),
  };
}

/** The features of every board, then those of plugins: these can only take away. */
function featuresOf({ features }: LoadedConfig): Feature[] {
  return [...BUILT_IN_FEATURES, ...features];
}

function namesEntry({ metadata }: ToolEntry, name: string): boolean {
  return metadata.name === name || metadata.aliases?.includes(name) === true;
}

function complain(file: LoadedFile, path: readonly (string | number)[], message: string): Diagnostic {
  return { severity: 'error', file: file.file, path, message, place: file.locate(path) };
}

function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function throwErrors(diagnostics: readonly Diagnostic[]): void {
  if (hasErrors(diagnostics)) throw new ConfigError(diagnostics);
}
