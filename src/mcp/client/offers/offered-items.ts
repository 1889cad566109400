import { isObject, type JsonObject } from '../transports/transport.ts';
import type { ToolAnnotations, ToolIcon } from '../../../tool/tool-metadata.ts';

export interface OfferedPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly JsonObject[];
  readonly icons?: unknown;
  readonly _meta?: JsonObject;
}

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

export interface OfferedTemplate extends Omit<OfferedResource, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

/** A skill as a server lists it: its `SKILL.md`, front matter and files. */
export interface OfferedSkill {
  readonly uri: string;
  readonly frontmatter: JsonObject;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** The resources of one process of a server, as its user sees them. */
export interface ResourceOffer {
  readonly resources: readonly OfferedResource[];
  readonly templates: readonly OfferedTemplate[];
  /** `undefined` if the server lists no skills. */
  readonly skills?: readonly OfferedSkill[] | undefined;
}

export const NO_RESOURCES: ResourceOffer = { resources: [], templates: [] };

const MAX_NAME = 256;
const MAX_URI = 4_096;
/** Characters of one item, as JSON. */
const MAX_ITEM = 64 * 1024;
const MAX_ARGUMENTS = 100;
const MAX_SKILL_FILES = 512;

/** Reads one prompt of a server's list; `undefined` if it cannot be used. The other parsers do the same. */
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

export function parseResource(value: unknown): OfferedResource | undefined {
  if (!isObject(value) || !isText(value['uri'], MAX_URI)) return undefined;
  const { uri, size } = value;
  return inBounds({ uri, ...wordsOf(value, uri), ...(typeof size === 'number' && size >= 0 ? { size } : {}) });
}

export function parseTemplate(value: unknown): OfferedTemplate | undefined {
  if (!isObject(value) || !isText(value['uriTemplate'], MAX_URI)) return undefined;
  const { uriTemplate } = value;
  return inBounds({ uriTemplate, ...wordsOf(value, uriTemplate) });
}

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

/** Reads stored resources. */
export function parseResourceOffer(value: unknown): ResourceOffer {
  const { resources, templates, skills } = isObject(value) ? value : {};
  return {
    resources: parseAll(resources, parseResource),
    templates: parseAll(templates, parseTemplate),
    ...(skills === undefined ? {} : { skills: parseAll(skills, parseSkill) }),
  };
}

/** Returns the usable elements of a list. */
export function parseAll<T>(list: unknown, parse: (value: unknown) => T | undefined): readonly T[] {
  return Array.isArray(list) ? list.flatMap((item: unknown) => parse(item) ?? []) : [];
}

function wordsOf(value: JsonObject, address: string): Omit<OfferedTemplate, 'uriTemplate'> {
  const { annotations } = value;
  return {
    // The protocol requires a name; some servers omit it.
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

/** Returns the key of a prompt where tools and prompts share a map: both may have the same name. */
export function promptKey(name: string): string {
  return `prompt\u0000${name}`;
}

/** A tool as a server offers it, with checked shape and size. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Statements about title and risk, and other keys. */
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
      readonly size: number;
    }
  | { readonly ok: false; readonly name: string; readonly fault: string };

const MAX_DEFINITION = 1024 * 1024;
const MAX_ICONS = 10;

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

/** Removes hints of the wrong type. */
function readAnnotations(value: unknown): (JsonObject & ToolAnnotations) | undefined {
  if (!isObject(value)) return undefined;
  const right = Object.entries(value).filter(([key, item]) =>
    key === 'title' ? typeof item === 'string' : !key.endsWith('Hint') || typeof item === 'boolean',
  );
  return Object.fromEntries(right);
}

/** Returns icons at https addresses or in data URLs. */
function readIcons(value: unknown): ToolIcon[] {
  return Array.isArray(value) ? value.slice(0, MAX_ICONS).filter(isIcon) : [];
}

function isIcon(item: unknown): item is ToolIcon {
  return isObject(item) && typeof item['src'] === 'string' && /^(?:https:|data:image\/)/.test(item['src']);
}

function refuse(name: string, fault: string): ParsedOffer {
  return { ok: false, name, fault };
}

/** Keys of a single message between board and server, and keys that only the board may set. */
const RESERVED = /^(?:progressToken$|io\.modelcontextprotocol\/|pegboard[./])/i;

/** Returns the part of `_meta` that is for clients; `undefined` if it is empty. */
export function readMeta(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => !RESERVED.test(key));
  if (kept.length === entries.length) return value;
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
