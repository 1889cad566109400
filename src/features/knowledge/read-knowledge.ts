import type { ToolEntry } from '../../kinds/kind.ts';
import { type KnowledgeDrivers, type PlannedCollection, unknownName } from '../../knowledge/plan/knowledge-plan.ts';
import type { KnowledgeSettings } from '../../knowledge/plan/knowledge-settings.ts';
import { type KnowledgePlan, planKnowledge } from '../../knowledge/plan/plan-knowledge.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { secretsIn } from '../../guard/secrets/secret-names.ts';
import { joinValues, type Placed } from '../../load/features/section.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The collections of a board's files, with diagnostics about them. */
interface ReadKnowledge {
  readonly plan: KnowledgePlan;
  readonly diagnostics: readonly Diagnostic[];
}

/** The `rag` sections of all files. */
type RagSections = readonly Placed<KnowledgeSettings>[];

/** Joins the `rag` sections of all files, and checks that the collection of every tool exists. */
export function readKnowledge(
  sections: RagSections,
  files: readonly LoadedFile[],
  drivers: KnowledgeDrivers,
): ReadKnowledge {
  const { settings, diagnostics, ownerOf } = joinSections(sections);
  const uses = files.flatMap((file) =>
    file.entries.flatMap((entry) => collectionsOf(entry).map((use) => ({ ...use, file }))),
  );
  const wanted = [...new Set(uses.map(({ name }) => name))];
  const plan = planKnowledge(settings, wanted, drivers);
  for (const { path, message } of plan.faults) {
    const owner = ownerOf(path);
    // The faults of a collection that only a tool names are reported at that tool.
    const user =
      owner === undefined && path[0] === 'collections' ? uses.find(({ name }) => name === path[1]) : undefined;
    const file = user?.file ?? files.at(-1);
    if (owner !== undefined) diagnostics.push(owner.at(path, message));
    else if (file !== undefined) diagnostics.push(complain(file, { path: user?.place ?? ['rag', ...path], message }));
  }
  // A fault in a collection is reported once, not for every tool that uses it.
  const faulty = new Set(
    plan.faults.flatMap(({ path: [section, name = ''] }) => (section === 'collections' ? [name] : [])),
  );
  for (const { name, place, file } of uses) {
    if (plan.collections.has(name) || faulty.has(name)) continue;
    const message = unknownName('collection', name, [...plan.collections.keys()]);
    diagnostics.push(complain(file, { path: place, message }));
  }
  // A section that was skipped because of errors may contain the collection.
  const isPartial = files.some((file) =>
    file.diagnostics.some(({ severity, path: [key] }) => severity === 'error' && key === 'rag'),
  );
  return { plan, diagnostics: isPartial ? [] : diagnostics };
}

/** Returns keys and passwords as written in the settings. */
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

/** Lists the collections that an entry uses, and where it names them. */
export function collectionsOf(
  entry: ToolEntry,
): { readonly name: string; readonly place: readonly (string | number)[] }[] {
  const used = entry.kind.uses(entry).filter(({ type }) => type === 'collection');
  return used.map(({ name, path }) => ({ name, place: [...entry.path, ...path] }));
}

const NAMED = ['servers', 'collections'] as const;
const SINGLE = ['vectorizer', 'transformer', 'reranker', 'store'] as const;

/** Joins the sections of several files; each part remembers its file. */
function joinSections(sections: RagSections): {
  readonly settings: KnowledgeSettings;
  readonly diagnostics: Diagnostic[];
  readonly ownerOf: (path: readonly (string | number)[]) => Placed<unknown> | undefined;
} {
  const owners = new Map<string, { readonly section: Placed<KnowledgeSettings>; readonly value: unknown }>();
  const diagnostics: Diagnostic[] = [];
  for (const section of sections) {
    for (const [path, value] of partsOf(section.value)) {
      const key = path.join('.');
      const earlier = owners.get(key);
      if (earlier !== undefined && JSON.stringify(earlier.value) !== JSON.stringify(value)) {
        const { file } = earlier.section.at(path, '');
        diagnostics.push(section.at(path, `is in ${file} too; this one is used.`, 'warning'));
      }
      owners.set(key, { section, value });
    }
  }
  return {
    settings: joinValues(
      sections.map(({ value }) => value),
      { servers: 'keys', collections: 'keys' },
    ),
    diagnostics,
    ownerOf: ([first = '', second = '']) => (owners.get(`${first}.${second}`) ?? owners.get(String(first)))?.section,
  };
}

/** Lists the parts of a section that are overridden as a whole: each server, each collection and each other setting. */
function partsOf(settings: KnowledgeSettings): (readonly [path: readonly string[], value: unknown])[] {
  return [
    ...NAMED.flatMap((key) =>
      Object.entries(settings[key] ?? {}).map(([name, value]) => [[key, name], value] as const),
    ),
    ...SINGLE.flatMap((key) => (settings[key] === undefined ? [] : [[[key], settings[key]] as const])),
  ];
}

interface Complaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function complain(file: LoadedFile, { path, message }: Complaint): Diagnostic {
  return { severity: 'error', file: file.file, path, message, place: file.locate(path) };
}
