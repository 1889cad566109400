import type { ToolIcon } from '../../tool/tool-metadata.ts';
import { isObject, type JsonObject } from './transports/wire-message.ts';

/** A tool as a server offers it, checked for its shape and its size. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly icons?: readonly ToolIcon[];
  /** It can only be called as a task (2025-11-25). */
  readonly execution?: { readonly taskSupport: 'required' };
}

/** An offered tool, or why it cannot be used. */
export type ParsedOffer =
  | { readonly ok: true; readonly tool: OfferedTool }
  | { readonly ok: false; readonly name: string; readonly fault: string };

const MAX_DEFINITION = 1024 * 1024;
const MAX_NAME = 256;
const MAX_ICONS = 10;
const REQUIRED = Object.freeze({ taskSupport: 'required' });

/** Reads one element of a server's list of tools. */
export function parseOffer(value: unknown): ParsedOffer {
  if (!isObject(value)) return refuse('?', 'is no object');
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = value;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    return refuse(typeof name === 'string' ? name.slice(0, 60) : '?', `has no name of 1 to ${MAX_NAME} characters`);
  if (!isObject(inputSchema)) return refuse(name, 'has no inputSchema');
  if (description !== undefined && typeof description !== 'string')
    return refuse(name, 'has a description that is no text');
  if (outputSchema !== undefined && !isObject(outputSchema))
    return refuse(name, 'has an outputSchema that is no object');
  const icons = readIcons(value['icons']);
  const tool: OfferedTool = {
    name,
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(isObject(annotations) ? { annotations } : {}),
    ...(icons.length === 0 ? {} : { icons }),
    ...(isObject(execution) && execution['taskSupport'] === 'required' ? { execution: REQUIRED } : {}),
  };
  const size = JSON.stringify(tool).length;
  return size > MAX_DEFINITION
    ? refuse(name, `has a definition of ${size} characters, more than ${MAX_DEFINITION}`)
    : { ok: true, tool };
}

/** The icons at https addresses or in data URLs; others are left out. */
function readIcons(value: unknown): ToolIcon[] {
  const items: unknown[] = Array.isArray(value) ? value.slice(0, MAX_ICONS) : [];
  return items.flatMap((item) => {
    if (!isObject(item) || typeof item['src'] !== 'string' || !/^(?:https:|data:image\/)/.test(item['src'])) return [];
    const { src, mimeType, sizes } = item;
    const known = Array.isArray(sizes) ? sizes.filter((size) => typeof size === 'string') : [];
    const type = typeof mimeType === 'string' ? { mimeType } : {};
    return [{ src, ...type, ...(known.length === 0 ? {} : { sizes: known }) }];
  });
}

function refuse(name: string, fault: string): ParsedOffer {
  return { ok: false, name, fault };
}
