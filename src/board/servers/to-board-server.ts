import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { type BoardMode, NOT_TRUSTED } from '../../load/board-mode.ts';
import type { BoardServer } from '../board.ts';

/** A server of the config as the board shows it. */
export function toBoardServer(server: SharedServer, mode: BoardMode): BoardServer {
  const connect = async (): Promise<string | undefined> => {
    if (mode === 'look') return `It is not started: ${NOT_TRUSTED}.`;
    const offer = await server.ask();
    return offer.type === 'failed' ? offer.message : undefined;
  };
  const { instructions, manifest, settings } = server;
  const own = { name: settings.name, offered: manifest?.tools.length, instructions, logins: server.users?.logins };
  return { ...own, ...server.status, changes: server.changes, markSeen: () => server.markSeen(), connect };
}
