import { isPlainObject } from '../../tool/json.ts';

/** An object in a document. */
export type DocumentNode = Readonly<Record<string, unknown>>;

/** Resolves `$ref`s within one document, and collects notes about it. */
export interface ReferenceReader {
  readonly document: DocumentNode;
  readonly notes: readonly string[];
  /** Adds a note for the importing user; duplicates are dropped. */
  readonly note: (text: string) => void;
  /** Resolves a local reference. Notes remote and broken ones. */
  find(reference: string): unknown;
  /** Returns the object itself, or the one its references lead to; `undefined` if they lead nowhere. */
  follow(node: unknown): DocumentNode | undefined;
}

const MAX_HOPS = 50;

export function createReferenceReader(document: DocumentNode): ReferenceReader {
  const notes = new Set<string>();
  const note = (text: string): void => void notes.add(text);
  const self = typeof document['$self'] === 'string' ? document['$self'] : undefined;
  const find = (written: string): unknown => {
    // OpenAPI 3.2: a document may name its own address.
    const reference = self !== undefined && written.startsWith(`${self}#`) ? written.slice(self.length) : written;
    if (!reference.startsWith('#')) {
      note(`The remote reference "${reference}" was not followed. Bundle the document into one file first.`);
      return undefined;
    }
    let target: unknown = document;
    for (const key of reference.split('/').slice(1).map(unescapeKey)) {
      const isOwn = typeof target === 'object' && target !== null && Object.hasOwn(target, key);
      // Only own keys of arrays and objects are followed, so any record type fits.
      target = isOwn ? (target as Record<string, unknown>)[key] : undefined;
    }
    if (target === undefined) note(`The reference "${reference}" points at nothing.`);
    return target;
  };
  const follow = (node: unknown): DocumentNode | undefined => {
    let target = node;
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      if (!isPlainObject(target)) return undefined;
      if (typeof target['$ref'] !== 'string') return target;
      target = find(target['$ref']);
    }
    note('A chain of references never ends; its target was left out.');
    return undefined;
  };
  return {
    document,
    get notes() {
      return [...notes];
    },
    note,
    find,
    follow,
  };
}

function unescapeKey(key: string): string {
  const plain = key.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
