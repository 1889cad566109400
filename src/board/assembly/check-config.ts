import type { SecretList } from '../../guard/secrets/secret-lists.ts';
import type { NamedSecret } from '../../guard/secrets/secret-names.ts';
import { toBroken } from '../../kinds/broken.ts';
import { inTime, toThrownFault } from '../../kinds/kind-faults.ts';
import type { EntryFault, Environment, ToolEntry } from '../../kinds/kind.ts';
import { workingFolder } from '../../load/data-folder.ts';
import { type Diagnostic, hasErrors, throwErrors } from '../../load/diagnostics/diagnostic.ts';
import type { FeatureCheck } from '../../load/features/feature-host.ts';
import { explainWeakSecret } from '../../load/file-context.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { knowledgeDrivers } from '../../load/plugins/define-plugin.ts';
import { hasOneName } from '../../load/turn-off.ts';
import type { BoardSetup } from '../board-setup.ts';
import { collectEntries, type PlacedEntries, toDiagnostic } from './make-tools.ts';
import { excuseLooking } from './look.ts';

/** Files without errors, or without the parts that have errors. */
export interface CheckedConfig {
  readonly config: LoadedConfig;
  readonly entries: PlacedEntries;
  readonly setup: BoardSetup;
  readonly diagnostics: Diagnostic[];
  /** True when parts with errors were removed, to find further errors in the rest. */
  readonly isPartial: boolean;
}

/** A secret that a command or a server receives, and a function that reports it if it is weak. */
interface PassedSecret {
  readonly secret: NamedSecret;
  readonly at: Parameters<FeatureCheck['addSecret']>[1];
}

/** Finds the faults of loaded files, and their secrets. Throws a `ConfigError` if the board cannot be opened. */
export async function checkConfig(
  loaded: LoadedConfig,
  setup: BoardSetup,
  secrets: SecretList,
): Promise<CheckedConfig> {
  const { files } = loaded;
  const { env, cwd, data, mode } = setup;
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const collected = collectEntries(files, diagnostics);
  const passed: PassedSecret[] = [];
  for (const { entry, file } of collected.values()) {
    const found = await checkEntry(entry, env);
    const at: PassedSecret['at'] = (message, severity) =>
      toDiagnostic({ path: [], message, severity }, { entry, file });
    passed.push(...found.secrets.map((secret) => ({ secret, at })));
    // Files of other people still load; their authors get a warning.
    const severity = file.dialect === 'climax' ? 'warning' : 'error';
    diagnostics.push(...found.faults.map((fault) => toDiagnostic({ severity, ...fault }, { entry, file })));
  }
  const board: FeatureCheck = {
    files,
    entries: [...collected.values()],
    drivers: knowledgeDrivers(loaded.plugins),
    env,
    cwd,
    data,
    workingFolder: workingFolder(files, setup),
    addSecrets: (values) => secrets.add(values),
    addSecret: (secret, at) => void passed.push({ secret, at }),
  };
  const reading = { builtIn: setup.features, plugged: loaded.features, files, cwd };
  diagnostics.push(...(await setup.resources.features.check(reading, board)));
  for (const { secret, at } of passed) {
    const weak = secrets.has(secret.value) ? undefined : explainWeakSecret(secret);
    if (weak !== undefined) diagnostics.push(at(weak.message, weak.severity));
    secrets.add([secret.value]);
  }
  if (mode === 'look') diagnostics.splice(0, Infinity, ...excuseLooking(diagnostics, loaded));
  const next =
    hasErrors(diagnostics) && setup.options.faults === 'all'
      ? checkDespiteErrors(loaded, collected, diagnostics)
      : undefined;
  if (next === undefined) throwErrors(diagnostics);
  const { config, entries } = next ?? { config: loaded, entries: collected };
  return { config, entries, setup: next ? withoutLock(setup) : setup, diagnostics, isPartial: next !== undefined };
}

/** Placeholders for faulty entries differ from the lock, and no server is contacted about them. */
function withoutLock(setup: BoardSetup): BoardSetup {
  return { ...setup, options: { ...setup.options, lock: 'ignore', servers: 'cached' } };
}

/**
 * Lists the faults that the kind of an entry finds, and the secrets that it passes to the tools. An error that it throws is a fault of the
 * entry.
 */
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

type Entries = ReadonlyMap<string, { readonly entry: ToolEntry; readonly file: LoadedFile }>;

/** Sections that can be invalid without affecting the set of tools. */
const SECTIONS: ReadonlySet<unknown> = new Set([
  'agents',
  'policy',
  'discovery',
  'serve',
  'env',
  'lock',
  'data',
  'max_model_output',
  'max_values',
  'processes',
]);

/**
 * Returns files with errors for further checks: with placeholders for faulty tools, and without faulty sections. `undefined` when the set
 * of tools is unknown: a rule that names one of them could be blamed wrongly.
 */
function checkDespiteErrors(
  config: LoadedConfig,
  entries: Entries,
  diagnostics: readonly Diagnostic[],
): { readonly config: LoadedConfig; readonly entries: Entries } | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const next = new Map(entries);
  for (const { file: name, path } of errors) {
    const [key, at] = path;
    if (SECTIONS.has(key) || (key === 'mcpServers' && at !== undefined)) continue;
    const file = config.files.find((candidate) => candidate.file === name);
    if (key !== 'tools' || file === undefined) return undefined;
    const isHere = ({ path: [, index] }: ToolEntry): boolean => index === at;
    const known = file.faultyEntries.find(isHere) ?? file.entries.find(isHere);
    const entry = known === undefined ? undefined : toStandIn(known);
    if (entry === undefined) return undefined;
    next.set(entry.metadata.name, { entry, file });
  }
  const badServers = new Set(errors.flatMap(({ path: [key, at] }) => (key === 'mcpServers' ? [at] : [])));
  for (const [name, { entry, file }] of next) {
    const isLost = entry.kind.uses(entry).some((use) => use.type === 'server' && badServers.has(use.name));
    const instead = isLost ? toStandIn(entry) : undefined;
    if (instead !== undefined) next.set(name, { entry: instead, file });
  }
  const hasBadAgents = errors.some(({ path: [key] }) => key === 'agents');
  const files = hasBadAgents ? config.files.map(withoutAgents) : config.files;
  return { config: { ...config, files }, entries: next };
}

function withoutAgents(file: LoadedFile): LoadedFile {
  const { agents: _, ...sections } = file.sections;
  return { ...file, sections };
}

/** A placeholder needs a single known name. */
function toStandIn(entry: ToolEntry): ToolEntry | undefined {
  const { kind, metadata } = entry;
  return hasOneName(kind, metadata.name) ? toBroken(entry, kind, `the tool "${metadata.name}" has errors`) : undefined;
}
