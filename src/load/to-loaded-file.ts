import { basename } from 'node:path';
import { Redactor } from '../guard/secrets/redactor.ts';
import { isPlainObject } from '../tool/json.ts';
import { cleanDiagnostics } from './diagnostics/diagnostic.ts';
import type { FileContext } from './file-context.ts';
import { secretSourceOf } from './variables/read-secret.ts';
import type { LoadedFile, LockMode } from './loaded-file.ts';

type Data = Readonly<Record<string, unknown>>;

const LOCK_MODES: readonly LockMode[] = ['deny', 'warn', 'approve'];

/** Facts about a file before its tools are read. */
export interface FileFacts extends Pick<LoadedFile, 'dialect' | 'isInline' | 'imports' | 'plugins'> {
  readonly context: FileContext;
}

/** Combines the sections of a file and the entries of its tools. */
export function toLoadedFile(
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
export function lockOf(data: Readonly<Record<string, unknown>>): LockMode | undefined {
  return LOCK_MODES.find((mode) => mode === data['lock']);
}

/** Returns the source of a file's tools: its `name`, or its file name without the extension. */
export function nameOf(data: Data, context: FileContext): string {
  return typeof data['name'] === 'string' ? data['name'] : basename(context.yaml.file).replace(/\.[^.]+$/, '');
}
