import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { knowledge } from '../../features/knowledge/feature.ts';
import type { SecretList } from '../../guard/secrets/secret-lists.ts';
import type { DryRun, KindHost } from '../../kinds/kind.ts';
import { findStorePlace, type StorePlace, watchedFiles } from '../../load/data-folder.ts';
import { cleanDiagnostics, ConfigError, type Diagnostic, throwErrors } from '../../load/diagnostics/diagnostic.ts';
import type { WantedTool } from '../../load/features/tool-list.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import { knowledgeDrivers } from '../../load/plugins/define-plugin.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { createFeatureBoard, featuresOf, type OpenedFeature } from '../features/board-features.ts';
import { requireApi } from '../features/feature-calls.ts';
import { type FeatureGuards, joinGuards } from '../features/feature-guards.ts';
import type { LoadedSkills } from '../offers/own-skills.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { checkConfig, type CheckedConfig } from './check-config.ts';
import { type ComposedList, composeList } from './compose-list.ts';
import { createHost } from './create-host.ts';
import { dryRunTool } from './dry-run-tool.ts';
import { explainAbsence } from './explain-absence.ts';
import { type BoardLogin, findLogins } from './find-logins.ts';
import { makeEntryTools } from './make-entry-tools.ts';
import type { KeptTools } from './make-tools.ts';
import { wantedTool } from './wanted-tool.ts';

/** A reading of the files: their features, tools and collections. */
export interface Assembly extends Pick<LoadedConfig, 'files' | 'plugins'>, FeatureGuards {
  /** The features that are open with its settings. */
  readonly features: readonly OpenedFeature[];
  /** The place of the board's store. */
  readonly storePlace: StorePlace;
  /** The list of tools that was composed last. */
  readonly composed: ComposedList;
  readonly diagnostics: readonly Diagnostic[];
  readonly knowledge: KindHost['knowledge'];
  /** Returns the APIs that a person logs in to. */
  logins(): Promise<readonly BoardLogin[]>;
  /** Absolute paths of files whose change matters. */
  readonly watched: readonly string[];
  dryRun(name: string, args: unknown): Promise<DryRun>;
  /** Explains why a tool of this name is off; `undefined` for any other name. */
  explainAbsence(name: string): string | undefined;
  /** Describes a tool that is not on the board, for features that may bring it. */
  wantedTool(name: string): WantedTool;
  /** True when its tools are those that features offer now. */
  isFresh(): boolean;
  /** Composes the list of tools again, unless it is fresh. */
  renew(): Promise<void>;
  /** Releases connections and secrets that no call needs; a later call opens connections again. */
  rest(): void;
  /** Makes its secrets count again: a call of one of its tools begins. */
  wake(): void;
}

/** Makes the tools of loaded files. Throws a `ConfigError` with every fault when there is any, without secrets. */
export async function assemble(read: LoadedConfig, given: AssembleOptions): Promise<Assembly> {
  const skills = await skillsOf(read, given);
  const loaded: LoadedConfig = { ...read, files: [...read.files, ...(skills?.scripts ?? [])] };
  const secrets = given.secretLists.open(loaded.files.flatMap((file) => file.secrets()));
  try {
    const checked = await checkConfig(loaded, given, secrets);
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

/** Most boards have no skills, and need not load what reads them. */
async function skillsOf({ files }: LoadedConfig, options: AssembleOptions): Promise<LoadedSkills | undefined> {
  if (files.every(({ skills }) => skills.length === 0)) return undefined;
  const { loadSkills } = await import('../offers/own-skills.ts');
  return loadSkills(files, options);
}

async function build(checked: CheckedConfig, secrets: SecretList, skills: LoadedSkills | undefined): Promise<Assembly> {
  const { config, entries, options, diagnostics, isPartial } = checked;
  const { files } = config;
  const { cwd, secretLists } = options;
  const storePlace = findStorePlace(files, { ...options, store: options.storeUrl });
  if (storePlace.url !== undefined) secrets.add(passwordsOf(storePlace.url));
  const board = createFeatureBoard(options, { place: storePlace, files, drivers: knowledgeDrivers(config.plugins) });
  const features = await options.features.open({ features: featuresOf(config), files, cwd }, board);
  const collections = requireApi(features, knowledge);
  const host: KindHost = {
    ...createHost(options, { files, place: storePlace }),
    knowledge: () => collections.open(),
    ...Object.assign({}, ...features.map(({ open }) => open.kindHost)),
  };
  const kept: KeptTools = { host: { ...collections.placed, prefix: host.prefix }, entries: new Map() };
  const before = isDeepStrictEqual(options.kept.latest?.host, kept.host) ? options.kept.latest : undefined;
  const made = await makeEntryTools(entries, { host, mode: options.mode, before, kept });
  diagnostics.push(...made.diagnostics);
  if (!isPartial) throwErrors(diagnostics);
  let used = -1;
  const compose = (): Promise<ComposedList> => {
    used = options.changes();
    return composeList({ config, options, entries, ...made, host, skills: skills?.skills ?? [], features });
  };
  const guards = joinGuards(features);
  let composed = await compose();
  let renewing = Promise.resolve();
  // Warnings wait for the errors: they may be about an entry that stands in for another.
  throwErrors([...diagnostics, ...composed.diagnostics.filter(({ severity }) => !isPartial || severity === 'error')]);
  options.kept.latest = kept;
  const isFresh = (): boolean => used === options.changes();
  return {
    files,
    plugins: config.plugins,
    features,
    storePlace,
    ...guards,
    get composed() {
      return composed;
    },
    get diagnostics() {
      const own = features.flatMap(({ open }) => open.diagnostics?.() ?? []);
      return [...diagnostics, ...cleanDiagnostics(own, secretLists.redactor), ...composed.diagnostics];
    },
    knowledge: () => host.knowledge(),
    logins: () =>
      findLogins(
        [...entries.values()].map(({ entry }) => entry),
        host,
      ),
    watched: [
      ...files.flatMap((file) => watchedFiles(file, cwd)),
      ...features.flatMap(({ open }) => open.watched?.() ?? []),
      ...(skills?.skills ?? []).map(({ skill }) => resolve(skill.folder, 'SKILL.md')),
    ],
    dryRun: (name, args) =>
      dryRunTool({ name, args }, { composed, made: made.tools, host, foresee: guards.foresee, secretLists }),
    explainAbsence: (name) =>
      composed.refused.get(name) ??
      explainAbsence(name, { config, tools: made.tools, unavailable: composed.unavailable }),
    wantedTool: (name) => wantedTool(name, entries),
    isFresh,
    // One after the other: an earlier one that ends later would bring back an older list.
    renew: () => {
      const turn = renewing.then(async () => {
        if (!isFresh()) composed = await compose();
      });
      renewing = turn.catch(() => {});
      return turn;
    },
    rest: () => {
      secrets.retire();
      void options.clients.rest();
    },
    wake: () => secrets.use(),
  };
}

/** Returns the password in an address, as it is written there and as it is meant. */
function passwordsOf(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
