import type * as Htmlparser2 from 'htmlparser2';
import { DocumentRefusal, loadPeers } from '../document-refusal.ts';
import type { Archive } from './archive.ts';
import { posix } from 'node:path';

/** An element, without the prefix of its name. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

const MAX_DEPTH = 200;
/** Elements within one that is collected, such as a table. */
const MAX_ELEMENTS = 500_000;
/** Elements of a whole part; a sheet of a million cells has about three million. */
const MAX_PART_ELEMENTS = 10_000_000;
const MAX_ATTRIBUTES = 1_000;
const MAX_CHARACTERS = 20_000_000;
/** Characters that are parsed between two turns of the event loop. */
const SLICE = 32_768;

/** The elements to read. */
interface XmlChoice {
  /** Yielded when they end, with their content; those within others are part of these. */
  readonly whole: ReadonlySet<string>;
  /** Yielded when they start, without their content, which is searched further. */
  readonly starts?: ReadonlySet<string>;
}

/**
 * Reads chosen elements of a part, in order, while unpacking it.
 *
 * A document type is refused: no office program writes one, and the entities it defines can grow without end.
 */
export async function* readXml(archive: Archive, part: string, choice: XmlChoice): AsyncGenerator<XmlElement, void> {
  // The packages have their own types.
  const [, { Parser }] = loadPeers(['yauzl', 'htmlparser2'], part) as [unknown, typeof Htmlparser2];
  const collector = new Collector(choice, part);
  const parser = new Parser(
    {
      onattribute: () => collector.attribute(),
      onopentag: (name, attributes) => collector.open(localName(name), attributes),
      ontext: (text) => collector.text(text),
      onclosetag: () => collector.close(),
      onprocessinginstruction: (name) => {
        if (/^!doctype/i.test(name)) throw new DocumentRefusal(`has a document type in ${part}, which is not read`);
      },
    },
    { xmlMode: true },
  );
  for await (const text of decode(archive.read(part))) {
    for (let at = 0; at < text.length; at += SLICE) {
      parser.write(text.slice(at, at + SLICE));
      yield* collector.take();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  parser.end();
  yield* collector.take();
}

/** Reads a small part: its outermost element. */
export async function readXmlRoot(archive: Archive, part: string, name: string): Promise<XmlElement> {
  for await (const element of readXml(archive, part, { whole: new Set([name]) })) return element;
  throw new DocumentRefusal(`is broken: ${part} has no ${name}`);
}

class Collector {
  readonly #choice: XmlChoice;
  readonly #part: string;
  readonly #done: XmlElement[] = [];
  /** Open elements within the collected one, outermost first. */
  readonly #open: XmlElement[] = [];
  #depth = 0;
  #count = 0;
  #total = 0;
  #attributes = 0;
  #characters = 0;

  constructor(choice: XmlChoice, part: string) {
    this.#choice = choice;
    this.#part = part;
  }

  attribute(): void {
    if (++this.#attributes > MAX_ATTRIBUTES)
      throw new DocumentRefusal(`has an element with more than ${MAX_ATTRIBUTES} attributes in ${this.#part}`);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (++this.#depth > MAX_DEPTH)
      throw new DocumentRefusal(`has elements more than ${MAX_DEPTH} deep in each other in ${this.#part}`);
    if (++this.#total > MAX_PART_ELEMENTS)
      throw new DocumentRefusal(`has more than ${MAX_PART_ELEMENTS} elements in ${this.#part}; split it`);
    this.#attributes = 0;
    const element: XmlElement = { name, attributes, children: [] };
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      if (++this.#count > MAX_ELEMENTS)
        throw new DocumentRefusal(`has more than ${MAX_ELEMENTS} elements in one ${this.#open[0]?.name}; split it`);
      parent.children.push(element);
      this.#open.push(element);
    } else if (this.#choice.whole.has(name)) this.#open.push(element);
    else if (this.#choice.starts?.has(name) === true) this.#done.push(element);
  }

  text(text: string): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) return;
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS)
      throw new DocumentRefusal(`has too much text in one ${this.#open[0]?.name} of ${this.#part}; split it`);
    parent.children.push(text);
  }

  close(): void {
    this.#depth--;
    const element = this.#open.pop();
    if (element === undefined || this.#open.length > 0) return;
    this.#done.push(element);
    this.#count = 0;
    this.#characters = 0;
  }

  take(): XmlElement[] {
    return this.#done.splice(0);
  }
}

async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(chunk[0] === 0xff ? 'utf-16le' : chunk[0] === 0xfe ? 'utf-16be' : 'utf-8');
    yield decoder.decode(chunk, { stream: true });
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Returns an attribute by its name without prefix. */
export function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  const plain = attributes[name];
  if (plain !== undefined) return plain;
  for (const key in attributes) if (key.endsWith(`:${name}`)) return attributes[key];
  return undefined;
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string').filter((child) => child.name === name);
}

/** Returns the first direct child with this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  for (const child of element?.children ?? []) if (typeof child !== 'string' && child.name === name) return child;
  return undefined;
}

/** Finds all elements with this name at any depth, in order, except those within another match. */
export function findAll(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) =>
    typeof child === 'string' ? [] : child.name === name ? [child] : findAll(child, name),
  );
}

/** Returns all characters in an element. */
export function textOf(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** A reference from a part of an Office document to another. */
export interface Relation {
  /** The last word of its type: `slide`, `notesSlide`, `hyperlink`. */
  readonly type: string;
  /** The name of a part, or an external address. */
  readonly target: string;
}

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
