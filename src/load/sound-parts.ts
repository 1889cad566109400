import { isPlainObject } from '../tool/json.ts';
import type { CliEntry } from '../kinds/tool-entry.ts';
import type { Diagnostic } from './diagnostic.ts';

type Data = Readonly<Record<string, unknown>>;

const STAND_IN_TYPES: ReadonlySet<unknown> = new Set(['cli', 'run', 'http', 'mcp']);
const RISKS: ReadonlySet<unknown> = new Set([undefined, 'read', 'write', 'destructive']);

/** What a stand-in would run, were it ever run. */
export const NOTHING: Omit<CliEntry, 'file' | 'path' | 'metadata'> = {
  type: 'cli',
  command: ['false'],
  args: [],
  confirmation: undefined,
  trailing: [],
  separator: undefined,
  running: { env: {}, envPass: [], workingDir: undefined, sandbox: undefined, output: 'text', exitCodes: {} },
};

/** The tools (as indexes) that have errors. */
export function faultyTools(diagnostics: readonly Diagnostic[]): Set<number> {
  return new Set(errorsOf(diagnostics).flatMap(([key, at]) => (key === 'tools' && typeof at === 'number' ? [at] : [])));
}

/** A board file without the sections that have errors. Tools keep their places, and servers that have errors are turned off. */
export function soundSections(data: Data, diagnostics: readonly Diagnostic[]): Data {
  const sound: Record<string, unknown> = { ...data };
  for (const [key, at] of errorsOf(diagnostics)) {
    if (typeof key !== 'string' || key === 'import' || (key === 'tools' && at !== undefined)) continue;
    const servers = sound[key];
    if (key === 'mcpServers' && typeof at === 'string' && isPlainObject(servers)) {
      sound[key] = { ...servers, [at]: { disabled: true } };
    } else Reflect.deleteProperty(sound, key);
  }
  return sound;
}

/** A tool in the place of one with errors, so that those who name it find it; undefined when too little of it is known. */
export function standIn(tool: unknown, base: Pick<CliEntry, 'file' | 'path'>, config: Data): CliEntry | undefined {
  if (!isPlainObject(tool) || !STAND_IN_TYPES.has(tool['type']) || !RISKS.has(tool['risk'])) return undefined;
  const { name, risk, category = config['category'] } = tool;
  const tags = [config['tags'] ?? [], tool['tags'] ?? []].flat();
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return undefined;
  if (!tags.every((tag) => typeof tag === 'string')) return undefined;
  return {
    ...base,
    paths: [],
    metadata: {
      name,
      description: 'Has errors.',
      source: typeof config['name'] === 'string' ? config['name'] : 'unknown',
      risk: risk === 'read' || risk === 'destructive' ? risk : 'write',
      ...(tags.length === 0 ? {} : { tags }),
      ...(typeof category === 'string' ? { category } : {}),
    },
    ...NOTHING,
  };
}

function errorsOf(diagnostics: readonly Diagnostic[]): (readonly (string | number)[])[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ path }) => path);
}
