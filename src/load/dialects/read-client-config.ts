import { isPlainObject } from '../../tool/json.ts';
import { BOARD_KEYS } from './detect-dialect.ts';
import type { FileContext } from '../file-context.ts';

type Data = Readonly<Record<string, unknown>>;

/** Of the settings of an MCP client (Claude, Cursor, VS Code) the servers are taken, and the rest is passed over. */
export function readClientConfig(data: Data, context: FileContext): Data {
  const { mcpServers, servers } = data;
  const found = isPlainObject(mcpServers) ? mcpServers : servers;
  const isBoard = BOARD_KEYS.some((key) => key !== 'mcpServers' && key in data);
  if (!isPlainObject(found) || isBoard) return data;
  const others = Object.keys(data).filter((key) => key !== 'mcpServers' && key !== 'servers' && key !== '$schema');
  for (const key of others) context.add('note', [key], 'is a setting of an MCP client and is passed over.');
  return { mcpServers: found };
}
