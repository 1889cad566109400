import { isPlainObject } from '../../tool/json.ts';
import { CONFIG_KEYS } from '../config-keys.generated.ts';

/** The format of a config file. */
export type Dialect = 'pegboard' | 'climax' | 'climax-policy' | 'ctx';

export const BOARD_KEYS: readonly string[] = CONFIG_KEYS.board.filter((key) => key !== '$schema');

/** Keys of ctx files that are not about tools. */
const CTX_KEYS = ['documents', 'settings', 'gitlabServers', 'projects'];
const OTHER_KEYS = new Set([
  ...CONFIG_KEYS.climax,
  ...CONFIG_KEYS.climaxPolicy,
  ...CONFIG_KEYS.ctx,
  ...CTX_KEYS,
  'prompts',
]);
/** The board keys that no other dialect has. */
const PEGBOARD_KEYS: readonly string[] = BOARD_KEYS.filter((key) => !OTHER_KEYS.has(key));

export function detectDialect(value: unknown): Dialect {
  if (!isPlainObject(value)) return 'pegboard';
  const { tools } = value;
  if (isPlainObject(tools)) return describesTools(tools) ? 'pegboard' : 'climax-policy';
  if (tools === undefined && ('executor' in value || 'approval' in value)) return 'climax-policy';
  if (PEGBOARD_KEYS.some((key) => key in value)) return 'pegboard';
  // Both have prompts. Those of ctx have an id; a mapping belongs to neither, and Pegboard reports that it must be a list.
  const prompts = Array.isArray(value['prompts']) ? value['prompts'].filter(isPlainObject) : [];
  if (prompts.some((prompt) => 'name' in prompt && !('id' in prompt)) || isPlainObject(value['prompts']))
    return 'pegboard';
  const items = Array.isArray(tools) ? tools.filter(isPlainObject) : [];
  const hasTypes = items.some((item) => 'type' in item && !('id' in item));
  if ('command' in value && !hasTypes) return 'climax';
  if (CTX_KEYS.some((key) => key in value) || [...items, ...prompts].some((item) => 'id' in item)) return 'ctx';
  if (typeof value['$schema'] === 'string' && value['$schema'].includes('context-hub')) return 'ctx';
  if (Array.isArray(value['import']) && value['import'].some(isPlainObject)) return 'ctx';
  return 'pegboard';
}

/** Returns true when a mapping under `tools` contains tools that should be a list; a policy has rules there by tool name. */
function describesTools(tools: Readonly<Record<string, unknown>>): boolean {
  return [tools, ...Object.values(tools)].some(
    (part) => isPlainObject(part) && (typeof part['type'] === 'string' || typeof part['command'] === 'string'),
  );
}

/** A key of another dialect than the detected one, with advice. */
export interface MixedDialects {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Explains how a file that mixes tools of ctx with keys of Pegboard is read; `undefined` for other files. Without this, the author would
 * only learn that a key is unknown.
 */
export function explainDialect(value: Readonly<Record<string, unknown>>, dialect: Dialect): MixedDialects | undefined {
  const tools: unknown[] = Array.isArray(value['tools']) ? value['tools'] : [];
  const withId = tools.findIndex((tool) => isPlainObject(tool) && 'id' in tool && !('name' in tool));
  if (withId < 0) return undefined;
  if (dialect === 'pegboard') {
    const key = PEGBOARD_KEYS.find((candidate) => candidate in value);
    if (key === undefined) return undefined;
    const message = `"id" is what ctx calls a tool's name, and "${key}" makes this a Pegboard file. Write "name" for "id" in its tools, or put "${key}" into a file of its own that imports this one.`;
    return { path: ['tools', withId, 'id'], message };
  }
  const withName = tools.findIndex((tool) => isPlainObject(tool) && 'name' in tool && !('id' in tool));
  if (dialect !== 'ctx' || withName < 0) return undefined;
  const message = `this file is read as one of ctx's, because tools[${withId}] has "id" in place of "name". Write "name" for "id" in its tools to make it a Pegboard file, or put tools[${withName}] into a file of its own.`;
  return { path: ['tools', withId, 'id'], message };
}
