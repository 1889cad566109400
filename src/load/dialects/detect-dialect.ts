import { isPlainObject } from '../../tool/json.ts';
import { CONFIG_SCHEMAS } from '../schema.generated.ts';

/** Whose rules a config file follows. */
export type Dialect = 'pegboard' | 'climax' | 'climax-policy' | 'ctx';

/** What may stand at the top of Pegboard's own files. */
export const BOARD_KEYS: readonly string[] = keysOf('board').filter((key) => key !== '$schema');

const OTHER_KEYS = new Set([...keysOf('climax'), ...keysOf('climaxPolicy'), ...keysOf('ctx')]);
/** Of these, what no file of another dialect has. */
export const PEGBOARD_KEYS: readonly string[] = BOARD_KEYS.filter((key) => !OTHER_KEYS.has(key));

const CTX_KEYS = ['documents', 'prompts', 'settings', 'gitlabServers', 'projects'];

/** Recognises a file by its shape, so that nobody has to say what it is. */
export function detectDialect(value: unknown): Dialect {
  if (!isPlainObject(value)) return 'pegboard';
  const { tools } = value;
  if (isPlainObject(tools) || (tools === undefined && ('executor' in value || 'approval' in value))) {
    return 'climax-policy';
  }
  if (PEGBOARD_KEYS.some((key) => key in value)) return 'pegboard';
  const items = Array.isArray(tools) ? tools.filter(isPlainObject) : [];
  const hasTypes = items.some((item) => 'type' in item && !('id' in item));
  if ('command' in value && !hasTypes) return 'climax';
  if (CTX_KEYS.some((key) => key in value) || items.some((item) => 'id' in item)) return 'ctx';
  if (typeof value['$schema'] === 'string' && value['$schema'].includes('context-hub')) return 'ctx';
  if (Array.isArray(value['import']) && value['import'].some(isPlainObject)) return 'ctx';
  return 'pegboard';
}

function keysOf(dialect: keyof typeof CONFIG_SCHEMAS): string[] {
  const { properties } = CONFIG_SCHEMAS[dialect];
  return isPlainObject(properties) ? Object.keys(properties) : [];
}
