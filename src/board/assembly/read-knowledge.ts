import { isPlainObject } from '../../tool/json.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import { type KnowledgeDrivers, type PlannedCollection, unknownName } from '../../knowledge/plan/knowledge-plan.ts';
import type { KnowledgeSettings } from '../../knowledge/plan/knowledge-settings.ts';
import { type KnowledgePlan, planKnowledge } from '../../knowledge/plan/plan-knowledge.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { secretsIn } from '../../guard/secrets/secret-names.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The collections of a board's files, and what there is to say about them. */
export interface ReadKnowledge {
  readonly plan: KnowledgePlan;
  readonly diagnostics: readonly Diagnostic[];
}

type Section = Readonly<Record<string, unknown>>;

/** Puts the `rag` sections of all files together, the last winning, and checks that every tool's collection is there. */
export function readKnowledge(files: readonly LoadedFile[], drivers: KnowledgeDrivers): ReadKnowledge {
  const diagnostics: Diagnostic[] = [];
  const merged = new MergedSections(diagnostics);
  for (const file of files) merged.add(file);
  const uses = files.flatMap((file) =>
    file.entries.flatMap((entry) => collectionsOf(entry).map((use) => ({ ...use, file }))),
  );
  const wanted = [...new Set(uses.map(({ name }) => name))];
  const plan = planKnowledge(merged.settings, wanted, drivers);
  for (const { path, message } of plan.faults) {
    const from = merged.fileOf(path);
    // A collection that stands nowhere but in a tool has its fault there.
    const user =
      from === undefined && path[0] === 'collections' ? uses.find(({ name }) => name === path[1]) : undefined;
    const file = from ?? user?.file ?? files.at(-1);
    const place = user?.place ?? ['rag', ...path];
    if (file !== undefined) diagnostics.push(complain(file, { path: place, message }));
  }
  // A fault in a collection is told once, not again for every tool that uses it.
  const faulty = new Set(
    plan.faults.flatMap(({ path: [section, name = ''] }) => (section === 'collections' ? [name] : [])),
  );
  for (const { name, place, file } of uses) {
    if (plan.collections.has(name) || faulty.has(name)) continue;
    const message = unknownName('collection', name, [...plan.collections.keys()]);
    diagnostics.push(complain(file, { path: place, message }));
  }
  // Collections of a section that is left out, because it has errors, may be there.
  const isPartial = files.some((file) =>
    file.diagnostics.some(({ severity, path: [key] }) => severity === 'error' && key === 'rag'),
  );
  return { plan, diagnostics: isPartial ? [] : diagnostics };
}

/** Keys and passwords, as they stand in the settings. */
export function knowledgeSecrets(collections: Iterable<PlannedCollection>): string[] {
  return [...collections].flatMap(({ server, embedder, reranker, sources }) => [
    ...secretsIn('api_key', server.apiKey ?? ''),
    ...secretsIn('api_key', embedder?.api_key ?? ''),
    ...secretsIn('url', server.url ?? ''),
    ...secretsIn('url', embedder?.url ?? ''),
    ...secretsIn('api_key', reranker?.api_key ?? ''),
    ...secretsIn('url', reranker?.url ?? ''),
    ...sources.flatMap(({ headers }) => Object.entries(headers).flatMap(([name, value]) => secretsIn(name, value))),
  ]);
}

/** The collections that an entry uses, and where it names them. */
export function collectionsOf(
  entry: ToolEntry,
): { readonly name: string; readonly place: readonly (string | number)[] }[] {
  const used = entry.kind.uses(entry).filter(({ type }) => type === 'collection');
  return used.map(({ name, path }) => ({ name, place: [...entry.path, ...path] }));
}

const NAMED = ['servers', 'collections'] as const;
const SINGLE = ['vectorizer', 'transformer', 'reranker', 'store'] as const;

/** Sections of several files as one; each part remembers where it is from. */
class MergedSections {
  readonly #diagnostics: Diagnostic[];
  readonly #from = new Map<string, { readonly file: LoadedFile; readonly value: unknown }>();
  readonly #names: Record<(typeof NAMED)[number], Record<string, unknown> | undefined> = {
    servers: undefined,
    collections: undefined,
  };

  constructor(diagnostics: Diagnostic[]) {
    this.#diagnostics = diagnostics;
  }

  add(file: LoadedFile): void {
    const { rag } = file;
    if (rag === undefined) return;
    for (const key of NAMED) {
      const section = rag[key];
      if (!isPlainObject(section)) continue;
      this.#names[key] ??= {};
      for (const [name, value] of Object.entries(section)) {
        this.#set(file, [key, name], value);
        this.#names[key][name] = value;
      }
    }
    for (const key of SINGLE) if (rag[key] !== undefined) this.#set(file, [key], rag[key]);
  }

  get settings(): KnowledgeSettings {
    const single = SINGLE.map((key) => [key, this.#from.get(key)?.value]);
    // Each part was checked against its schema when its file was read.
    return { ...this.#names, ...(Object.fromEntries(single) as Section) } as KnowledgeSettings;
  }

  /** The file that a place in the settings is from. */
  fileOf([first = '', second = '']: readonly (string | number)[]): LoadedFile | undefined {
    return (this.#from.get(`${first}.${second}`) ?? this.#from.get(String(first)))?.file;
  }

  #set(file: LoadedFile, path: readonly string[], value: unknown): void {
    const key = path.join('.');
    const earlier = this.#from.get(key);
    if (earlier !== undefined && JSON.stringify(earlier.value) !== JSON.stringify(value)) {
      const message = `stands in ${earlier.file.file} too; this one is used.`;
      this.#diagnostics.push({ ...complain(file, { path: ['rag', ...path], message }), severity: 'warning' });
    }
    this.#from.set(key, { file, value });
  }
}

interface Complaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function complain(file: LoadedFile, { path, message }: Complaint): Diagnostic {
  return { severity: 'error', file: file.file, path, message, place: file.locate(path) };
}
