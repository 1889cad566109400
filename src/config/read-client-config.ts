import { isPlainObject } from '../core/json.ts';
import type { FileContext } from './file-context.ts';

type Data = Readonly<Record<string, unknown>>;

/** Keys that only a board has: a file with one of them is checked as such. */
const BOARD_KEYS =
  'name description category tags variables env import tools rag policy data discovery serve agents lock max_model_output'.split(
    ' ',
  );

/** Of the settings of an MCP client (Claude, Cursor, VS Code) the servers are taken, and the rest is passed over. */
export function readClientConfig(data: Data, context: FileContext): Data {
  const { mcpServers, servers } = data;
  const found = isPlainObject(mcpServers) ? mcpServers : servers;
  if (!isPlainObject(found) || BOARD_KEYS.some((key) => key in data)) return data;
  const others = Object.keys(data).filter((key) => key !== 'mcpServers' && key !== 'servers' && key !== '$schema');
  for (const key of others) context.add('note', [key], 'is a setting of an MCP client and is passed over.');
  return { mcpServers: found };
}
