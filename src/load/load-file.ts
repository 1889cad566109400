import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { isPlainObject } from '../tool/json.ts';
import { ToolError } from '../tool/tool-error.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import { parseRagToolConfig } from '../kinds/rag/rag-tool-config.ts';
import type { ToolEntry } from '../kinds/tool-entry.ts';
import { detectDialect, type Dialect } from './detect-dialect.ts';
import { explainDialect, type MixedDialects } from './explain-dialect.ts';
import { type ClimaxFile, readClimax } from './dialects/read-climax.ts';
import { type CtxTool, readCtxTools } from './dialects/read-ctx.ts';
import { readBoardTools } from './dialects/read-pegboard.ts';
import { FileContext } from './file-context.ts';
import { interpolate, readSecretFile, type VariableSources } from './interpolate.ts';
import { brokenEntries, withoutOff } from './turn-off.ts';
import type { LoadedFile, LockMode } from './loaded-file.ts';
import { cleanDiagnostics } from './clean-diagnostics.ts';
import { noteServerSecrets } from './note-server-secrets.ts';
import { readClientConfig } from './read-client-config.ts';
import { readYaml, type YamlFile } from './read-yaml.ts';
import { faultyTools, soundSections, standIn } from './sound-parts.ts';
import { CONFIG_SCHEMAS } from './schema.generated.ts';

/** Where a file's variables come from besides the file itself. */
export interface LoadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative `${file:…}` are looked for; the file's own folder by default. */
  readonly folder?: string;
}

const LOCK_MODES: readonly LockMode[] = ['deny', 'warn', 'approve'];

type Data = Readonly<Record<string, unknown>>;

/** Reads one config file of any dialect. Faults are in its diagnostics; only what is no YAML at all throws. */
export function loadFile(bytes: Uint8Array, file: string, options: LoadOptions): LoadedFile {
  const yaml = readYaml(bytes, file);
  const context = new FileContext(yaml);
  const dialect = detectDialect(yaml.value);
  if (!isPlainObject(yaml.value)) {
    context.add('error', [], 'is empty, or not a mapping. A config file has keys such as name and tools.');
    return toLoaded({}, dialect, { context, entries: [] });
  }
  const folder = options.folder ?? dirname(resolve(file));
  const written = prepare(yaml, dialect, { context, env: options.env, folder });
  const data = withoutOff(written, context.off);
  const broken = brokenEntries(written, context.off, { file: context.yaml.file, source: nameOf(written, context) });
  if (dialect === 'pegboard') noteServerSecrets(data['mcpServers'], context);
  const mixed = explainDialect(data, dialect);
  const isAll = checkTools(data, dialect, { context, mixed });
  if (!context.hasErrors) {
    const entries = readEntries(data, dialect, { context, env: options.env });
    return toLoaded(data, dialect, { context, entries: [...entries, ...broken] });
  }
  // What is sound is read on, so that faults that only show later are told at once. Where not every fault is known nothing is sound.
  const isPartly = dialect === 'pegboard' && mixed === undefined && isAll;
  if (!isPartly) return toLoaded(data, dialect, { context, entries: [] });
  const faulty = faultyTools(context.diagnostics);
  const sound = soundSections(data, context.diagnostics);
  const entries = [...readEntries(sound, dialect, { context, env: options.env }), ...broken];
  const named = { ...sound, name: nameOf(sound, context) };
  const standIns = [...faulty].flatMap((index) => {
    const tool: unknown = Array.isArray(data['tools']) ? data['tools'][index] : undefined;
    return standIn(tool, { file: context.yaml.file, path: ['tools', index] }, named) ?? [];
  });
  return toLoaded(sound, dialect, { context, entries, standIns });
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

function checkTools(
  data: Data,
  dialect: Dialect,
  { context, mixed }: { readonly context: FileContext; readonly mixed: MixedDialects | undefined },
): boolean {
  // A knowledge-base tool has messages of its own, which say more than its schema.
  const tools: unknown[] = Array.isArray(data['tools']) ? data['tools'] : [];
  const faulty = new Set<number>();
  for (const [index, tool] of tools.entries()) {
    if (!isPlainObject(tool) || tool['type'] !== 'rag') continue;
    try {
      parseRagToolConfig({ ...tool, id: tool['id'] ?? tool['name'] });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      faulty.add(index);
      const field = error.field === 'id' && dialect === 'pegboard' ? 'name' : (error.field ?? 'id');
      context.add('error', ['tools', index, field], `${error.message}.`);
    }
  }
  // In its place stands one without fault, so that everything else is checked too, at the same paths.
  const sound = tools.map((tool, index) =>
    faulty.has(index) ? FAULTLESS_RAG_TOOL[dialect === 'ctx' ? 'ctx' : 'pegboard'] : tool,
  );
  const executor = dialect === 'climax-policy' && isPlainObject(data['executor']) ? data['executor'] : {};
  if (executor['type'] === 'docker' && typeof executor['image'] !== 'string') {
    context.add('error', ['executor', 'image'], 'the docker executor needs an image to run commands in.');
  }
  const isAll = context.check(faulty.size === 0 ? data : { ...data, tools: sound }, CONFIG_SCHEMAS[SCHEMA_OF[dialect]]);
  if (mixed === undefined || !context.hasErrors) return isAll;
  // One sentence for all tools: that "id" is not known and "name" is missing follows from it.
  if (dialect === 'pegboard') {
    context.drop(
      ({ path: [first, , key, more] }) => first === 'tools' && (key === 'id' || key === 'name') && more === undefined,
    );
  }
  context.add('error', mixed.path, mixed.message);
  return isAll;
}

const FAULTLESS_RAG_TOOL = {
  ctx: { type: 'rag', id: 'x', description: 'x', collection: 'x' },
  pegboard: { type: 'rag', name: 'x', description: 'x', collection: 'x' },
};

const SCHEMA_OF = { pegboard: 'board', climax: 'climax', 'climax-policy': 'climaxPolicy', ctx: 'ctx' } as const;

function readEntries(
  data: Data,
  dialect: Dialect,
  { context, env }: { readonly context: FileContext; readonly env: LoadOptions['env'] },
): ToolEntry[] {
  // Each was checked against its schema just before.
  switch (dialect) {
    case 'climax':
      return readClimax(data as unknown as ClimaxFile, context, env);
    case 'ctx':
      return leaveOutKnowledge(
        readCtxTools((data['tools'] ?? []) as readonly CtxTool[], nameOf(data, context), context),
        { data, context },
      );
    case 'pegboard':
      return readBoardTools(data, nameOf(data, context), context);
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
  const kept = entries.filter(({ type }) => !isOff || type !== 'rag');
  if (kept.length < entries.length) {
    context.add('note', ['rag', 'enabled'], 'is false: tools with type: rag are left out.');
  }
  return kept;
}

function toLoaded(
  data: Data,
  dialect: Dialect,
  {
    context,
    entries,
    standIns = [],
  }: {
    readonly context: FileContext;
    readonly entries: readonly ToolEntry[];
    readonly standIns?: readonly ToolEntry[];
  },
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
    entries,
    off: context.off,
    standIns,
    imports: readImports(data['import'], context),
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
