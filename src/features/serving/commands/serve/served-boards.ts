import type { Board } from '../../../../board/board.ts';
import type { ServeWish } from '../../../../mcp/front/control-line.ts';
import { McpServer } from '../../../../mcp/server/mcp-server.ts';
import type { McpServerOptions } from '../../../../mcp/server/server-options.ts';

/** The servers of a board: one for each set of options that its clients may choose. */
export class ServedBoards {
  readonly #servers = new Map<string, { readonly wish: ServeWish; readonly server: McpServer }>();
  readonly #board: Board;
  readonly #toOptions: (wish: ServeWish) => McpServerOptions;

  constructor(board: Board, toOptions: (wish: ServeWish) => McpServerOptions) {
    this.#board = board;
    this.#toOptions = toOptions;
  }

  /** Returns the server with these options. */
  find(wish: ServeWish = {}): McpServer {
    const key = JSON.stringify([wish.mode, wish.compat]);
    const known = this.#servers.get(key);
    if (known !== undefined) return known.server;
    const server = new McpServer(this.#board, this.#toOptions(wish));
    this.#servers.set(key, { wish, server });
    return server;
  }

  /** The number of tasks in progress. */
  get runningTasks(): number {
    return [...this.#servers.values()].reduce((sum, { server }) => sum + server.runningTasks, 0);
  }

  /** Applies changed settings. */
  update(): void {
    for (const { wish, server } of this.#servers.values()) server.update(this.#toOptions(wish));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(({ server }) => server.close()));
  }
}
