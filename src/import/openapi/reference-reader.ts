import { isPlainObject } from '../../tool/json.ts';

/** Anything that is an object in a document. */
export type DocumentNode = Readonly<Record<string, unknown>>;

/** Finds what `$ref`s point at within one document, and keeps what there is to say about it. */
export interface ReferenceReader {
  readonly document: DocumentNode;
  readonly notes: readonly string[];
  /** Keeps a remark for the person who imports; the same one only once. */
  readonly note: (text: string) => void;
  /** Resolves a local reference. Remote ones and dead ends are noted. */
  find(reference: string): unknown;
  /** The object itself, or the one its references lead to; `undefined` where they lead nowhere. */
  follow(node: unknown): DocumentNode | undefined;
}

const MAX_HOPS = 50;

/** Makes the reader of a document. */
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
      // Own keys of arrays and objects only, so the type of the step is known to be open.
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
    note('A chain of references never ends; what it stands for was left out.');
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
