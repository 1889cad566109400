import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

/** A reference from a part of an Office document to another. */
export interface Relation {
  /** The last word of its type: `slide`, `notesSlide`, `hyperlink`. */
  readonly type: string;
  /** The name of a part, or an external address. */
  readonly target: string;
}

/** Reads the relations of a part, by id. */
export async function readRelations(archive: Archive, part: string): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>();
  const file = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
  if (!archive.has(file)) return relations;
  for await (const { attributes } of readXml(archive, file, { whole: new Set(['Relationship']) })) {
    const { Id: id, Target: target, Type: type, TargetMode: mode } = attributes;
    if (id === undefined || target === undefined) continue;
    relations.set(id, {
      type: type?.slice(type.lastIndexOf('/') + 1) ?? '',
      target: mode === 'External' ? target : resolvePart(part, target),
    });
  }
  return relations;
}

/** Returns the part that a relation of this type points to. */
export function findPart(archive: Archive, relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type === type && archive.has(relation.target))?.target;
}

/** Returns the main part of an Office document, such as `word/document.xml`. */
export async function findMainPart(archive: Archive, usual: string): Promise<string> {
  for (const { type, target } of (await readRelations(archive, '')).values())
    if (type === 'officeDocument' && archive.has(target)) return target;
  return usual;
}

/** Resolves the name of a part relative to another. */
export function resolvePart(from: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(from), target);
}
