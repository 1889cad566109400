import { isObject, type JsonObject } from '../transports/transport.ts';
import type { ToolAnnotations, ToolIcon } from '../../../tool/tool-metadata.ts';

/** A prompt as a server offers it. */
export interface OfferedPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly JsonObject[];
  readonly icons?: unknown;
  readonly _meta?: JsonObject;
}

/** A resource as a server offers it. */
export interface OfferedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
  readonly icons?: unknown;
  readonly _meta?: JsonObject;
}

/** A family of resources as a server offers it. */
export interface OfferedTemplate extends Omit<OfferedResource, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

/** A skill as a server lists it: its `SKILL.md`, what its front matter says, and its files. */
export interface OfferedSkill {
  readonly uri: string;
  readonly frontmatter: JsonObject;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** The resources of one process of a server: what its user may see. */
export interface ResourceOffer {
  readonly resources: readonly OfferedResource[];
  readonly templates: readonly OfferedTemplate[];
  /** The skills among the resources; missing where the server lists none. */
  readonly skills?: readonly OfferedSkill[] | undefined;
}

/** A server that offers no resources. */
export const NO_RESOURCES: ResourceOffer = { resources: [], templates: [] };

const MAX_NAME = 256;
const MAX_URI = 4_096;
/** Characters of one item, as JSON. */
const MAX_ITEM = 64 * 1024;
const MAX_ARGUMENTS = 100;
const MAX_SKILL_FILES = 512;

/** Reads one element of a server's list of prompts; `undefined` for one that cannot be used. */
export function parsePrompt(value: unknown): OfferedPrompt | undefined {
  if (!isObject(value) || !isText(value['name'], MAX_NAME)) return undefined;
  const { name, arguments: given } = value;
  const listed: unknown[] = Array.isArray(given) ? given.slice(0, MAX_ARGUMENTS) : [];
  const args = listed.flatMap((item): JsonObject[] => {
    if (!isObject(item) || !isText(item['name'], MAX_NAME)) return [];
    return [{ name: item['name'], ...textsOf(item, ['title', 'description']), ...flagOf(item, 'required') }];
  });
  return inBounds({
    name,
    ...textsOf(value, ['title', 'description']),
    ...(args.length === 0 ? {} : { arguments: args }),
    ...extrasOf(value),
  });
}

/** Reads one element of a server's list of resources; `undefined` for one that cannot be used. */
export function parseResource(value: unknown): OfferedResource | undefined {
  if (!isObject(value) || !isText(value['uri'], MAX_URI)) return undefined;
  const { uri, size } = value;
  return inBounds({ uri, ...wordsOf(value, uri), ...(typeof size === 'number' && size >= 0 ? { size } : {}) });
}

/** Reads one element of a server's list of templates; `undefined` for one that cannot be used. */
export function parseTemplate(value: unknown): OfferedTemplate | undefined {
  if (!isObject(value) || !isText(value['uriTemplate'], MAX_URI)) return undefined;
  const { uriTemplate } = value;
  return inBounds({ uriTemplate, ...wordsOf(value, uriTemplate) });
}

/** Reads one element of a server's list of skills; `undefined` for one that cannot be used. */
export function parseSkill(value: unknown): OfferedSkill | undefined {
  if (!isObject(value) || !isText(value['uri'], MAX_URI) || !isObject(value['frontmatter'])) return undefined;
  const { uri, frontmatter, resources } = value;
  const files: unknown[] = Array.isArray(resources) ? resources.slice(0, MAX_SKILL_FILES) : [];
  return inBounds({
    uri,
    frontmatter,
    resources: files.flatMap((file) => {
      if (!isObject(file) || !isText(file['uri'], MAX_URI) || !isText(file['digest'], MAX_NAME)) return [];
      return [{ uri: file['uri'], digest: file['digest'], size: typeof file['size'] === 'number' ? file['size'] : 0 }];
    }),
  });
}

/** Reads the resources that were kept between runs. */
export function parseResourceOffer(value: unknown): ResourceOffer {
  const { resources, templates, skills } = isObject(value) ? value : {};
  return {
    resources: parseAll(resources, parseResource),
    templates: parseAll(templates, parseTemplate),
    ...(skills === undefined ? {} : { skills: parseAll(skills, parseSkill) }),
  };
}

/** Every element of a list that can be used. */
export function parseAll<T>(list: unknown, parse: (value: unknown) => T | undefined): readonly T[] {
  return Array.isArray(list) ? list.flatMap((item: unknown) => parse(item) ?? []) : [];
}

function wordsOf(value: JsonObject, address: string): Omit<OfferedTemplate, 'uriTemplate'> {
  const { annotations } = value;
  return {
    // The protocol asks for a name; some servers have none.
    name: isText(value['name'], MAX_NAME) ? value['name'] : address.slice(0, MAX_NAME),
    ...textsOf(value, ['title', 'description', 'mimeType']),
    ...(isObject(annotations) ? { annotations } : {}),
    ...extrasOf(value),
  };
}

function extrasOf(value: JsonObject): Pick<OfferedResource, 'icons' | '_meta'> {
  const icons = readIcons(value['icons']);
  const _meta = readMeta(value['_meta']);
  return { ...(icons.length === 0 ? {} : { icons }), ...(_meta === undefined ? {} : { _meta }) };
}

function textsOf(value: JsonObject, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = value[key];
      return typeof text === 'string' && text !== '' ? [[key, text]] : [];
    }),
  );
}

function flagOf(value: JsonObject, key: string): Record<string, boolean> {
  return typeof value[key] === 'boolean' ? { [key]: value[key] } : {};
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}

function inBounds<T>(item: T): T | undefined {
  return JSON.stringify(item).length > MAX_ITEM ? undefined : item;
}

/** Returns the key of a prompt among tools and prompts: a server may have a tool and a prompt of one name. */
export function promptKey(name: string): string {
  return `prompt\u0000${name}`;
}

/** A tool as a server offers it, checked for its shape and its size. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Its statements about title and risk: texts and flags under the protocol's names, and anything else. */
  readonly annotations?: JsonObject & ToolAnnotations;
  readonly icons?: readonly ToolIcon[];
  /** Its way of running, such as `taskSupport` (2025-11-25). */
  readonly execution?: JsonObject;
  readonly _meta?: JsonObject;
}

/** An offered tool, or why it cannot be used. */
type ParsedOffer =
  | {
      readonly ok: true;
      readonly tool: OfferedTool;
      /** Characters of it, as JSON. */
      readonly size: number;
    }
  | { readonly ok: false; readonly name: string; readonly fault: string };

const MAX_DEFINITION = 1024 * 1024;
const MAX_ICONS = 10;

/** Reads one element of a server's list of tools. */
export function parseOffer(value: unknown): ParsedOffer {
  if (!isObject(value)) return refuse('?', 'is no object');
  const { name, title, description, inputSchema, outputSchema, execution } = value;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    return refuse(typeof name === 'string' ? name.slice(0, 60) : '?', `has no name of 1 to ${MAX_NAME} characters`);
  if (!isObject(inputSchema)) return refuse(name, 'has no inputSchema');
  if (description !== undefined && typeof description !== 'string')
    return refuse(name, 'has a description that is no text');
  if (outputSchema !== undefined && !isObject(outputSchema))
    return refuse(name, 'has an outputSchema that is no object');
  const icons = readIcons(value['icons']);
  const annotations = readAnnotations(value['annotations']);
  const _meta = readMeta(value['_meta']);
  const tool: OfferedTool = {
    name,
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(icons.length === 0 ? {} : { icons }),
    ...(isObject(execution) ? { execution } : {}),
    ...(_meta === undefined ? {} : { _meta }),
  };
  const size = JSON.stringify(tool).length;
  return size > MAX_DEFINITION
    ? refuse(name, `has a definition of ${size} characters, more than ${MAX_DEFINITION}`)
    : { ok: true, tool, size };
}

/** The protocol's own hints, without those of another type, and what else there is. */
function readAnnotations(value: unknown): (JsonObject & ToolAnnotations) | undefined {
  if (!isObject(value)) return undefined;
  const right = Object.entries(value).filter(([key, item]) =>
    key === 'title' ? typeof item === 'string' : !key.endsWith('Hint') || typeof item === 'boolean',
  );
  return Object.fromEntries(right);
}

/** The icons at https addresses or in data URLs, as they are; others are left out. */
function readIcons(value: unknown): ToolIcon[] {
  return Array.isArray(value) ? value.slice(0, MAX_ICONS).filter(isIcon) : [];
}

function isIcon(item: unknown): item is ToolIcon {
  return isObject(item) && typeof item['src'] === 'string' && /^(?:https:|data:image\/)/.test(item['src']);
}

function refuse(name: string, fault: string): ParsedOffer {
  return { ok: false, name, fault };
}

/** Keys that belong to one message between board and server, and keys that only the board may set. */
const RESERVED = /^(?:progressToken$|io\.modelcontextprotocol\/|pegboard[./])/i;

/** Returns the part of `_meta` of a tool, a result or a block that clients should get; `undefined` when it is empty. */
export function readMeta(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => !RESERVED.test(key));
  if (kept.length === entries.length) return value;
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
