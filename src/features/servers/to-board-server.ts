import type { ServerStatus, SharedServer } from '../../mcp/client/shared-server.ts';
import { type BoardMode, NOT_TRUSTED } from '../../load/board-mode.ts';
import type { UserLogins } from '../../mcp/client/oauth/user-logins.ts';

/** An MCP server of the board, and how it is doing. */
export interface BoardServer extends ServerStatus {
  readonly name: string;
  /** The number of tools that it offers; `undefined` while that is not known. */
  readonly offered: number | undefined;
  /** Its instructions, where its entry and the lock let clients read them. */
  readonly instructions: string | undefined;
  /** @internal Where its users log in, where each does. */
  readonly logins: UserLogins | undefined;
  /** The changes in its tools since a person last looked, also those taken back since; `undefined` where there are none. */
  readonly changes: string | undefined;
  /** Takes note that a person has seen what it says now. */
  markSeen(): void;
  /** Starts it, or connects to it, now; gives what went wrong. */
  connect(): Promise<string | undefined>;
}

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
