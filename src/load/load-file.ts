import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { isPlainObject } from '../tool/json.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import { BUILT_IN_KINDS } from '../kinds/built-in-kinds.ts';
import type { Kind, ToolEntry } from '../kinds/kind.ts';
import { checkFile, type KnownNames } from './check-file.ts';
import { detectDialect, type Dialect } from './dialects/detect-dialect.ts';
import { explainDialect } from './dialects/explain-dialect.ts';
import { type ClimaxFile, readClimax } from './dialects/read-climax.ts';
import { type CtxTool, readCtxTools } from './dialects/read-ctx.ts';
import { readBoardTools } from './dialects/read-pegboard.ts';
import { FileContext } from './file-context.ts';
import { interpolate, readSecretFile, type VariableSources } from './variables/interpolate.ts';
import { brokenEntries, withoutOff } from './turn-off.ts';
import type { LoadedFile, LockMode } from './loaded-file.ts';
import { cleanDiagnostics } from './diagnostics/clean-diagnostics.ts';
import { noteServerSecrets } from './variables/note-server-secrets.ts';
import { readClientConfig } from './dialects/read-client-config.ts';
import { readYaml, type YamlFile } from './yaml/read-yaml.ts';
import { faultyTools, soundSections, standIn } from './sound-parts.ts';

/** Where a file's variables come from besides the file itself. */
export interface LoadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths of the file start. Default: the file's own folder. */
  readonly folder?: string;
  /** Where relative paths of a CLImax file start. Default: this process's folder. */
  readonly cwd?: string;
  /** For sections of a board file that are given in code. Default: false. */
  readonly isInline?: boolean;
}

const LOCK_MODES: readonly LockMode[] = ['deny', 'warn', 'approve'];

type Data = Readonly<Record<string, unknown>>;

/** A config file with its variables filled in. Its tools wait for the kinds that plugins of other files may bring. */
export interface OpenedFile {
  readonly dialect: Dialect;
  readonly imports: LoadedFile['imports'];
  readonly plugins: LoadedFile['plugins'];
  /** Reads the tools and everything else. */
  read(known: KnownNames): LoadedFile;
}

/** Reads one config file of any dialect. Faults are in its diagnostics; only what is no YAML at all throws. */
export function loadFile(bytes: Uint8Array, file: string, options: LoadOptions): LoadedFile {
  return openFile(bytes, file, options).read({ kinds: toKindMap(BUILT_IN_KINDS), providers: [] });
}

/** Opens one config file of any dialect. */
export function openFile(bytes: Uint8Array, file: string, options: LoadOptions): OpenedFile {
  const yaml = readYaml(bytes, file);
  const context = new FileContext(yaml);
  const dialect = options.isInline === true ? 'pegboard' : detectDialect(yaml.value);
  const folder = options.folder ?? dirname(resolve(file));
  const isMapping = isPlainObject(yaml.value);
  if (!isMapping)
    context.add('error', [], 'is empty, or not a mapping. A config file has keys such as name and tools.');
  const written = isMapping ? prepare(yaml, dialect, { context, env: options.env, folder }) : {};
  const imports = readImports(written['import'], context);
  const plugins = dialect === 'pegboard' ? readPlugins(written['plugins'], folder) : [];
  const reading: Reading = { context, dialect, folder, imports, plugins, ...options };
  const read = (known: KnownNames): LoadedFile =>
    isMapping ? readOpened(written, known, reading) : toLoaded({}, reading);
  return { dialect, imports, plugins, read };
}

/** What is known of a file whose tools are read. */
interface Reading extends LoadOptions {
  readonly context: FileContext;
  readonly dialect: Dialect;
  readonly folder: string;
  readonly imports: LoadedFile['imports'];
  readonly plugins: LoadedFile['plugins'];
}

function readOpened(written: Data, known: KnownNames, reading: Reading): LoadedFile {
  const { context, dialect } = reading;
  const data = withoutOff(written, context.off);
  const tools: unknown[] = Array.isArray(data['tools']) ? data['tools'] : [];
  const kindAt = (index: number): Kind | undefined => {
    const tool = tools[index];
    return isPlainObject(tool) ? known.kinds.get(String(tool['type'])) : undefined;
  };
  const { file } = context.yaml;
  const broken = brokenEntries(written, context.off, { file, source: nameOf(written, context), kindAt });
  if (dialect === 'pegboard') noteServerSecrets(data['mcpServers'], context);
  const mixed = explainDialect(data, dialect);
  const isAll = checkFile(data, { dialect, context, known, mixed });
  if (!context.hasErrors)
    return toLoaded(data, reading, { entries: [...readEntries(data, reading, kindAt), ...broken] });
  // What is sound is read on, so that faults that only show later are told at once. Where not every fault is known nothing is sound.
  const isPartly = dialect === 'pegboard' && mixed === undefined && isAll;
  if (!isPartly) return toLoaded(data, reading);
  const faulty = faultyTools(context.diagnostics);
  const sound = soundSections(data, context.diagnostics);
  const entries = [...readEntries(sound, reading, kindAt), ...broken];
  const named = { ...sound, name: nameOf(sound, context) };
  const standIns = [...faulty].flatMap(
    (index) => standIn(tools[index], { file, path: ['tools', index], kind: kindAt(index) }, named) ?? [],
  );
  return toLoaded(sound, reading, { entries, standIns });
}

/** Kinds by the type that entries say. */
export function toKindMap(kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  return new Map(kinds.map((kind) => [kind.type, kind]));
}

/** The plugins that a file names: files relative to it, or packages. */
function readPlugins(value: unknown, folder: string): LoadedFile['plugins'] {
  const names: unknown[] = Array.isArray(value) ? value : [];
  return names.flatMap((name, index) => (typeof name === 'string' ? [{ name, folder, path: ['plugins', index] }] : []));
}

/** The data as its dialect reads it: truth values of YAML 1.1 for CLImax, variables put in for the others. */
function prepare(
  yaml: YamlFile,
  dialect: Dialect,
  {
    context,
    env,
    folder,
  }: { readonly context: FileContext; readonly env: LoadOptions['env']; readonly folder: string },
): Data {
  if (dialect === 'climax' || dialect === 'climax-policy') {
    const value = yaml.asYaml11();
    return isPlainObject(value) ? value : {};
  }
  const written = isPlainObject(yaml.value) ? yaml.value : {};
  const raw = dialect === 'pegboard' ? readClientConfig(written, context) : written;
  const readFile = (path: string): string => {
    if (dialect === 'ctx') throw new Error('ctx files have no ${file:…}');
    return readSecretFile(isAbsolute(path) ? path : resolve(folder, path));
  };
  const sources = readVariables(raw['variables'], { env, readFile, isKept: dialect === 'ctx' });
  // A ctx file may name variables that only its commands know; they stay as they are written.
  const isBoard = dialect === 'pegboard';
  const data = context.interpolate(raw, sources, { missing: isBoard ? 'error' : 'note', mayBeOff: isBoard });
  if (dialect !== 'ctx' || !Array.isArray(data['tools'])) return data;
  const tools: unknown[] = data['tools'];
  return { ...data, tools: tools.map((tool) => (isPlainObject(tool) ? { type: 'run', ...tool } : tool)) };
}

/** Variables may use those above them. One that needs what is not set has no value; with `isKept` it stays as it is written. */
function readVariables(
  value: unknown,
  { isKept, ...from }: Pick<VariableSources, 'env' | 'readFile'> & { readonly isKept: boolean },
): VariableSources {
  const variables: Record<string, string> = {};
  const unusable = new Map<string, readonly string[]>();
  const sources = { ...from, variables, unusable };
  for (const [name, text] of Object.entries(isPlainObject(value) ? value : {})) {
    const { text: filled, missing } = interpolate(String(text), sources);
    if (missing.length === 0 || isKept) variables[name] = filled;
    else unusable.set(name, missing);
  }
  return sources;
}

function readEntries(data: Data, reading: Reading, kindAt: (index: number) => Kind | undefined): ToolEntry[] {
  const { context, dialect, folder, env, cwd = process.cwd() } = reading;
  const source = nameOf(data, context);
  // Each was checked against its schema just before.
  switch (dialect) {
    case 'climax':
      return readClimax(data as unknown as ClimaxFile, { context, env, cwd });
    case 'ctx': {
      const tools = (data['tools'] ?? []) as readonly CtxTool[];
      return leaveOutKnowledge(readCtxTools(tools, { context, source, folder, kindAt }), { data, context });
    }
    case 'pegboard':
      return readBoardTools(data, { context, source, folder, kindAt });
    case 'climax-policy':
      return [];
  }
}

/** `rag.enabled: false` turns knowledge off, as in ctx. */
function leaveOutKnowledge(
  entries: readonly ToolEntry[],
  { data, context }: { readonly data: Data; readonly context: FileContext },
): ToolEntry[] {
  const isOff = isPlainObject(data['rag']) && data['rag']['enabled'] === false;
  const needsKnowledge = (entry: ToolEntry): boolean =>
    entry.kind.uses(entry).some(({ type }) => type === 'collection');
  const kept = entries.filter((entry) => !isOff || !needsKnowledge(entry));
  if (kept.length < entries.length) {
    context.add('note', ['rag', 'enabled'], 'is false: tools with type: rag are left out.');
  }
  return kept;
}

function toLoaded(
  data: Data,
  { context, dialect, imports, plugins, isInline = false }: Reading,
  { entries = [], standIns = [] }: Partial<Pick<LoadedFile, 'entries' | 'standIns'>> = {},
): LoadedFile {
  const section = (key: string): Data | undefined => (isPlainObject(data[key]) ? data[key] : undefined);
  if (dialect === 'ctx') {
    for (const key of ['documents', 'prompts', 'settings']) {
      if (key in data) context.add('note', [key], 'is not about tools and is passed over.');
    }
  }
  const shown = {
    file: context.yaml.file,
    dialect,
    name: dialect === 'climax' && typeof data['name'] !== 'string' ? 'climax' : nameOf(data, context),
    description: typeof data['description'] === 'string' ? data['description'] : '',
    category: typeof data['category'] === 'string' ? data['category'] : undefined,
    tags: Array.isArray(data['tags']) ? data['tags'].map(String) : [],
  };
  return {
    ...shown,
    isInline,
    entries,
    off: context.off,
    standIns,
    imports,
    plugins,
    policy: dialect === 'climax-policy' ? data : section('policy'),
    rag: section('rag'),
    mcpServers: section('mcpServers') ?? {},
    lock: LOCK_MODES.find((mode) => mode === data['lock']),
    maxModelOutput: typeof data['max_model_output'] === 'number' ? data['max_model_output'] : undefined,
    serve: section('serve') ?? {},
    discovery: section('discovery') ?? {},
    processes: section('processes') ?? {},
    agents: section('agents') ?? {},
    data: typeof data['data'] === 'string' ? data['data'] : undefined,
    needs: [...context.needs],
    secrets: () => [...context.secrets],
    diagnostics: cleanDiagnostics(context.diagnostics, new Redactor(context.secrets)),
    toJSON: () => ({ ...shown, tools: entries.map(({ metadata }) => metadata.name) }),
    locate: (path) => context.yaml.locate(path),
  };
}

function nameOf(data: Data, context: FileContext): string {
  return typeof data['name'] === 'string' ? data['name'] : basename(context.yaml.file).replace(/\.[^.]+$/, '');
}

function readImports(value: unknown, context: FileContext): LoadedFile['imports'] {
  const items: unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return items.flatMap((item, index) => {
    const path = typeof value === 'string' ? ['import'] : ['import', index];
    if (typeof item === 'string') return [{ pattern: item, path }];
    if (isPlainObject(item) && typeof item['path'] === 'string' && item['type'] !== 'url') {
      return [{ pattern: item['path'], path }];
    }
    context.add('note', ['import', index], 'imports from a network address are passed over.');
    return [];
  });
}
