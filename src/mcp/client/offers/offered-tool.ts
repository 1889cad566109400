import type { ToolAnnotations, ToolIcon } from '../../../tool/tool-metadata.ts';
import { readMeta } from './read-meta.ts';
import { isObject, type JsonObject } from '../transports/wire-message.ts';

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
export type ParsedOffer =
  | {
      readonly ok: true;
      readonly tool: OfferedTool;
      /** Characters of it, as JSON. */
      readonly size: number;
    }
  | { readonly ok: false; readonly name: string; readonly fault: string };

const MAX_DEFINITION = 1024 * 1024;
const MAX_NAME = 256;
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
export function readIcons(value: unknown): ToolIcon[] {
  return Array.isArray(value) ? value.slice(0, MAX_ICONS).filter(isIcon) : [];
}

function isIcon(item: unknown): item is ToolIcon {
  return isObject(item) && typeof item['src'] === 'string' && /^(?:https:|data:image\/)/.test(item['src']);
}

function refuse(name: string, fault: string): ParsedOffer {
  return { ok: false, name, fault };
}
