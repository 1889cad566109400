import type { NamedSecret } from '../../guard/secrets/secret-names.ts';
import type { SecretList } from '../../guard/secrets/secret-lists.ts';
import { inTime, toThrownFault } from '../../kinds/kind-faults.ts';
import type { EntryFault, Environment, ToolEntry } from '../../kinds/kind.ts';
import { workingFolder } from '../../load/data-folder.ts';
import { type Diagnostic, hasErrors, throwErrors } from '../../load/diagnostics/diagnostic.ts';
import type { FeatureCheck } from '../../load/features/feature.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import { knowledgeDrivers } from '../../load/plugins/define-plugin.ts';
import { explainWeakSecret } from '../../load/file-context.ts';
import { featuresOf } from '../features/board-features.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { checkDataPlace } from '../checks/check-data-place.ts';
import { checkDespiteErrors } from './check-despite-errors.ts';
import { collectEntries } from './collect-entries.ts';
import type { PlacedEntries } from './list-parts.ts';
import { excuseLooking } from './look.ts';
import { toDiagnostic } from './make-tools.ts';

/** Files that have no errors, or whose parts with errors are set aside. */
export interface CheckedConfig {
  readonly config: LoadedConfig;
  readonly entries: PlacedEntries;
  readonly options: AssembleOptions;
  readonly diagnostics: Diagnostic[];
  /** True when parts with errors were set aside, to find further errors in the rest. */
  readonly isPartial: boolean;
}

/** A secret that a command or a server gets, and how to report it where it is weak. */
interface PassedSecret {
  readonly secret: NamedSecret;
  readonly at: Parameters<FeatureCheck['addSecret']>[1];
}

/** Finds the faults of loaded files, and their secrets. Throws a `ConfigError` where the board cannot be opened. */
export async function checkConfig(
  loaded: LoadedConfig,
  given: AssembleOptions,
  secrets: SecretList,
): Promise<CheckedConfig> {
  const { files } = loaded;
  const { env, cwd } = given;
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const collected = collectEntries(files, diagnostics);
  const passed: PassedSecret[] = [];
  for (const { entry, file } of collected.values()) {
    const found = await checkEntry(entry, env);
    const at: PassedSecret['at'] = (message, severity) => toDiagnostic({ path: [], message, severity }, entry, file);
    passed.push(...found.secrets.map((secret) => ({ secret, at })));
    // Files of other people keep loading; their authors are told.
    const severity = file.dialect === 'climax' ? 'warning' : 'error';
    diagnostics.push(...found.faults.map((fault) => toDiagnostic({ severity, ...fault }, entry, file)));
  }
  const board: FeatureCheck = {
    files,
    drivers: knowledgeDrivers(loaded.plugins),
    env,
    workingFolder: workingFolder(files, given),
    addSecrets: (values) => secrets.add(values),
    addSecret: (secret, at) => void passed.push({ secret, at }),
  };
  diagnostics.push(
    ...checkDataPlace(collected.values(), files, given),
    ...(await given.features.check({ features: featuresOf(loaded), files, cwd }, board)),
  );
  for (const { secret, at } of passed) {
    const weak = secrets.has(secret.value) ? undefined : explainWeakSecret(secret);
    if (weak !== undefined) diagnostics.push(at(weak.message, weak.severity));
    secrets.add([secret.value]);
  }
  if (given.mode === 'look') diagnostics.splice(0, Infinity, ...excuseLooking(diagnostics, loaded));
  const next =
    hasErrors(diagnostics) && given.faults === 'all' ? checkDespiteErrors(loaded, collected, diagnostics) : undefined;
  if (next === undefined) throwErrors(diagnostics);
  const { config, entries } = next ?? { config: loaded, entries: collected };
  const options = next === undefined ? given : withoutLock(given);
  return { config, entries, options, diagnostics, isPartial: next !== undefined };
}

/** Entries that stand in for those with errors differ from the lock, and no server is asked about them. */
function withoutLock(given: AssembleOptions): AssembleOptions {
  return { ...given, featureOptions: { ...given.featureOptions, lock: 'ignore', servers: 'cached' } };
}

/** Lists the faults that the kind of an entry finds, and the secrets that it hands to the tools. An error that it throws is a fault of the entry. */
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
