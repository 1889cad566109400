import { dirname, resolve, basename } from 'node:path';
import { isPlainObject } from '../tool/json.ts';
import { BUILT_IN_KINDS } from '../kinds/built-in-kinds.ts';
import type { Kind, ToolEntry } from '../kinds/kind.ts';
import { checkFile, type KnownNames } from './check-file.ts';
import { detectDialect, type Dialect, explainDialect } from './dialects/detect-dialect.ts';
import type { ToolReader } from './dialects/read-entry.ts';
import { notePassedOver, readCtxTools } from './dialects/read-ctx.ts';
import { FileContext } from './file-context.ts';
import type { LoadedFile, LockMode } from './loaded-file.ts';
import { brokenEntries, faultyTools, soundSections, toFaultyEntry, withoutOff } from './turn-off.ts';
import { fillFile, noteServerSecrets } from './variables/fill-file.ts';
import type { BoardMode } from './board-mode.ts';
import type { FileContents } from './changes/recorded-contents.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { type ClimaxFile, readClimax } from './dialects/read-climax.ts';
import { readBoardTools } from './dialects/read-pegboard.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import { cleanDiagnostics } from './diagnostics/diagnostic.ts';
import { secretSourceOf } from './variables/read-secret.ts';

export interface LoadOptions {
  /** Default: run. */
  readonly mode?: BoardMode | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths of the file start from. Default: the file's own folder. */
  readonly folder?: string;
  /** The folder that relative paths of a CLImax file start from. Default: this process's folder. */
  readonly cwd?: string;
  /** True for sections of a board file given in code. Default: false. */
  readonly isInline?: boolean;
  /** The contents of files that a person accepted. Default: those on disk. */
  readonly contents?: FileContents | undefined;
}

type Data = Readonly<Record<string, unknown>>;

/** A config file with its variables filled in. Its tools are read once the kinds of plugins are known. */
export interface OpenedFile extends Pick<LoadedFile, 'dialect' | 'imports' | 'plugins'> {
  /** The reaction to plugins that differ from the lock. */
  readonly lock: LockMode | undefined;
  /** Reads the tools and everything else. */
  read(known: KnownNames): LoadedFile;
}

/** Reads one config file of any dialect. Reports faults as diagnostics; throws only for invalid YAML. */
export function loadFile(bytes: Uint8Array, file: string, options: LoadOptions): LoadedFile {
  return openFile(bytes, file, options).read({ kinds: toKindMap(BUILT_IN_KINDS), providers: [], sections: {} });
}

/** Opens one config file of any dialect. */
export function openFile(bytes: Uint8Array, file: string, options: LoadOptions): OpenedFile {
  const yaml = readYaml(bytes, file);
  const context = new FileContext(yaml);
  const {
    env,
    folder = dirname(resolve(file)),
    cwd = process.cwd(),
    isInline = false,
    mode = 'run',
    contents,
  } = options;
  const dialect = isInline ? 'pegboard' : detectDialect(yaml.value);
  const isMapping = isPlainObject(yaml.value);
  if (!isMapping)
    context.add('error', [], 'is empty, or not a mapping. A config file has keys such as name and tools.');
  const written = isMapping ? fillFile(context, { dialect, env, folder, cwd, mode, contents }) : {};
  const imports = readImports(written['import'], context);
  const plugins = dialect === 'pegboard' ? readPlugins(written['plugins'], folder) : [];
  const opened = { context, dialect, isInline, imports, plugins, env, folder, cwd, mode };
  const read = (known: KnownNames): LoadedFile =>
    isMapping ? readOpened(written, known, opened) : toLoadedFile({}, opened);
  // Plugins run before the rest of a file is checked, so an invalid mode counts as the strictest.
  const lock = 'lock' in written ? (lockOf(written) ?? 'deny') : undefined;
  return { dialect, imports, plugins, lock, read };
}

function readOpened(
  written: Data,
  known: KnownNames,
  opened: FileFacts & Required<Omit<LoadOptions, 'contents'>>,
): LoadedFile {
  const { context, dialect } = opened;
  const data = withoutOff(written, context.off);
  const tools: unknown[] = Array.isArray(data['tools']) ? data['tools'] : [];
  const kindAt = (index: number): Kind | undefined => {
    const tool = tools[index];
    return isPlainObject(tool) ? known.kinds.get(String(tool['type'])) : undefined;
  };
  const { file } = context.yaml;
  const broken = brokenEntries(written, context.off, { file, source: nameOf(written, context), kindAt });
  if (dialect === 'pegboard') noteServerSecrets(data['mcpServers'], context);
  if (dialect === 'ctx') notePassedOver(data, context);
  const mixed = explainDialect(data, dialect);
  const areFaultsComplete = checkFile(data, { dialect, context, known, mixed });
  if (!context.hasErrors) {
    return toLoadedFile(data, opened, { entries: [...readEntries(data, { ...opened, kindAt }), ...broken] });
  }
  // Reads the parts without errors to report faults that only show later. This requires that all structural faults are known.
  if (dialect !== 'pegboard' || mixed !== undefined || !areFaultsComplete) return toLoadedFile(data, opened);
  const faulty = faultyTools(context.diagnostics, { count: tools.length, kindAt });
  const sound = soundSections(data, context.diagnostics);
  const entries = [...readEntries(sound, { ...opened, kindAt }), ...broken];
  const named = { ...sound, name: nameOf(sound, context) };
  const faultyEntries = [...faulty].flatMap(
    (index) => toFaultyEntry(tools[index], { file, path: ['tools', index], kind: kindAt(index) }, named) ?? [],
  );
  return toLoadedFile(sound, opened, { entries, faultyEntries });
}

export function toKindMap(kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  return new Map(kinds.map((kind) => [kind.type, kind]));
}

/** Reads the plugins that a file names: files relative to it, or packages. */
function readPlugins(value: unknown, folder: string): LoadedFile['plugins'] {
  const names: unknown[] = Array.isArray(value) ? value : [];
  return names.flatMap((name, index) => (typeof name === 'string' ? [{ name, folder, path: ['plugins', index] }] : []));
}

function readImports(value: unknown, context: FileContext): LoadedFile['imports'] {
  const items: unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return items.flatMap((item, index) => {
    const path = typeof value === 'string' ? ['import'] : ['import', index];
    if (typeof item === 'string') return [{ pattern: item, path }];
    if (isPlainObject(item) && typeof item['path'] === 'string' && item['type'] !== 'url') {
      return [{ pattern: item['path'], path }];
    }
    context.add('note', ['import', index], 'imports from a network address are ignored.');
    return [];
  });
}

interface ReadOptions extends Omit<ToolReader, 'source'> {
  readonly dialect: Dialect;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths of a CLImax file start from. */
  readonly cwd: string;
}

/** Reads the tools of a file that matches the schema of its dialect. */
function readEntries(data: Readonly<Record<string, unknown>>, options: ReadOptions): ToolEntry[] {
  const { context, dialect, env, folder, cwd, kindAt } = options;
  const source = nameOf(data, context);
  switch (dialect) {
    case 'climax':
      // It has just been checked against its schema.
      return readClimax(data as unknown as ClimaxFile, { context, env, cwd });
    case 'ctx':
      return readCtxTools(data, { context, source, folder, kindAt });
    case 'pegboard':
      return readBoardTools(data, { context, source, folder, kindAt });
    case 'climax-policy':
      return [];
  }
}

const LOCK_MODES: readonly LockMode[] = ['deny', 'warn', 'approve'];

/** Facts about a file before its tools are read. */
interface FileFacts extends Pick<LoadedFile, 'dialect' | 'isInline' | 'imports' | 'plugins'> {
  readonly context: FileContext;
}

/** Combines the sections of a file and the entries of its tools. */
function toLoadedFile(
  data: Data,
  { context, dialect, isInline, imports, plugins }: FileFacts,
  { entries = [], faultyEntries = [] }: Partial<Pick<LoadedFile, 'entries' | 'faultyEntries'>> = {},
): LoadedFile {
  const section = (key: string): Data | undefined => (isPlainObject(data[key]) ? data[key] : undefined);
  const text = (key: string): string | undefined => (typeof data[key] === 'string' ? data[key] : undefined);
  const shown = {
    file: context.yaml.file,
    dialect,
    name: dialect === 'climax' ? (text('name') ?? 'climax') : nameOf(data, context),
    description: text('description') ?? '',
    category: text('category'),
    tags: Array.isArray(data['tags']) ? data['tags'].map(String) : [],
  };
  return {
    ...shown,
    isInline,
    entries,
    off: context.off,
    faultyEntries,
    imports,
    plugins,
    secretSources: dialect === 'pegboard' ? secretSources(section('variables')) : [],
    sections:
      dialect === 'pegboard'
        ? data
        : dialect === 'climax-policy'
          ? { policy: { default: 'disabled', ...data } }
          : { rag: data['rag'] },
    data: text('data'),
    workingDir: dialect === 'pegboard' ? text('working_dir') : undefined,
    store: text('store'),
    contentFiles: [...context.readFrom],
    needs: [...context.needs],
    secrets: () => [...context.secrets],
    diagnostics: cleanDiagnostics(context.diagnostics, new Redactor(context.secrets)),
    isUnresolved: (path) =>
      context.unresolved.some((one) => one.slice(0, path.length).every((key, index) => key === path[index])),
    toJSON: () => ({ ...shown, tools: entries.map(({ metadata }) => metadata.name) }),
    locate: (path) => context.yaml.locate(path),
  };
}

/** Lists the variables with secret values, each with its source. */
function secretSources(variables: Data = {}): LoadedFile['secretSources'] {
  return Object.entries(variables).flatMap(([name, variable]) => {
    const source = secretSourceOf(variable);
    const [from, where] = Object.entries(source ?? {}).find(([key]) => key !== 'cache') ?? [];
    if (from === undefined) return [];
    const words = Array.isArray(where) ? where : isPlainObject(where) ? Object.values(where) : [where];
    return [[name, `${from} ${words.map(String).join(' ')}`] as const];
  });
}

/** Returns the lock mode of a file, if valid. */
function lockOf(data: Readonly<Record<string, unknown>>): LockMode | undefined {
  return LOCK_MODES.find((mode) => mode === data['lock']);
}

/** Returns the source of a file's tools: its `name`, or its file name without the extension. */
function nameOf(data: Data, context: FileContext): string {
  return typeof data['name'] === 'string' ? data['name'] : basename(context.yaml.file).replace(/\.[^.]+$/, '');
}
