import { isPlainObject } from '../core/json.ts';

/** Whose rules a config file follows. */
export type Dialect = 'pegboard' | 'climax' | 'climax-policy' | 'ctx';

/** Sections that only Pegboard's own files have. */
export const PEGBOARD_KEYS: readonly string[] = [
  'mcpServers',
  'policy',
  'serve',
  'agents',
  'discovery',
  'max_model_output',
];
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
