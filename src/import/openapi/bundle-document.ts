import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** A document with its address, and a reader for others near it. */
export interface DocumentSource {
  /** The parsed document. It is changed in place. */
  readonly document: unknown;
  /** Its address: `https:` or `file:`. */
  readonly url: string;
  /** Reads another document. Throws if it cannot be read. */
  readonly read: (url: URL) => Promise<unknown>;
}

const MAX_FILES = 500;
/** The key of the other documents in the bundled one. */
const FILES = 'x-pegboard-files';

/**
 * Bundles the documents that references lead to into one document, and returns what could not be read.
 *
 * Only documents near the first are read: files by relative paths, addresses on the same origin.
 */
export async function bundleDocument({ document, url, read }: DocumentSource): Promise<string[]> {
  if (!isPlainObject(document)) return [];
  const notes = new Set<string>();
  const files: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const self = typeof document['$self'] === 'string' ? URL.parse(document['$self'], url)?.href : undefined;
  const queue: { readonly node: unknown; readonly base: string; readonly pointer: string }[] = [];
  queue.push({ node: document, base: url, pointer: '' });

  const nameOf = (target: URL): string => {
    const known = names.get(target.href);
    if (known !== undefined) return known;
    const bare = (target.pathname.split('/').at(-1) ?? '').replace(/\.\w+$/, '').replaceAll(/[^\w-]+/g, '_');
    const wanted = bare === '' || bare === '__proto__' ? 'file' : bare;
    const taken = new Set(names.values());
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
    names.set(target.href, name);
    return name;
  };

  /** Returns the reference within the bundled document, and queues new documents. */
  const place = (reference: string, base: string, pointer: string): string => {
    if (reference.startsWith('#')) return pointer === '' ? reference : `#${pointer}${reference.slice(1)}`;
    const target = URL.parse(reference, base);
    if (target === null) return reference;
    const fragment = target.hash.slice(1);
    target.hash = '';
    if (target.href === url || target.href === self) return `#${fragment}`;
    const isNear =
      target.protocol === 'file:'
        ? base.startsWith('file:') && !/^(?:file:|[/\\])/i.test(reference)
        : target.origin === new URL(url).origin;
    if (!isNear) return reference;
    if (!names.has(target.href) && names.size >= MAX_FILES) {
      notes.add(`The document consists of more than ${MAX_FILES} files; the rest was left out.`);
      return reference;
    }
    return `#/${FILES}/${nameOf(target)}${fragment}`;
  };

  const asked = new Set<string>();
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { base, pointer } = next;
    rewriteReferences(next.node, (reference) => place(reference, base, pointer));
    for (const [href, name] of names) {
      if (asked.has(href)) continue;
      asked.add(href);
      try {
        files[name] = await read(new URL(href));
        queue.push({ node: files[name], base: href, pointer: `/${FILES}/${name}` });
      } catch (error) {
        notes.add(
          `${href.startsWith('file:') ? decodeURIComponent(new URL(href).pathname) : href} cannot be read: ${messageOf(error)}`,
        );
      }
    }
  }
  if (names.size > 0) document[FILES] = files;
  return [...notes];
}

/** Changes all `$ref`s of a document, in place. YAML may use one part in many places: it is visited once. */
function rewriteReferences(root: unknown, change: (reference: string) => string): void {
  const seen = new Set<object>();
  const open: unknown[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    if (isPlainObject(node) && typeof node['$ref'] === 'string') node['$ref'] = change(node['$ref']);
    for (const part of Object.values(node)) if (typeof part === 'object' && part !== null) open.push(part);
  }
}
