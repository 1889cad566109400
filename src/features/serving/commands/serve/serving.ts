import type { Board } from '../../../../board/board.ts';
import type { ServeWish } from '../../../../mcp/front/control-line.ts';
import type { McpServer } from '../../../../mcp/server/mcp-server.ts';
import type { McpServerOptions } from '../../../../mcp/server/server-options.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import type { ServeSection } from './serve-settings.ts';

/** The options from the command line. */
export interface ServeOptions {
  readonly context: CliContext;
  readonly mode: McpServerOptions['mode'] | undefined;
  readonly compat: McpServerOptions['compat'];
  readonly http: boolean;
  /** Uses stdio, whatever the files say. */
  readonly stdio: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly token: string | undefined;
  /** Lets every process on this machine connect without a token. */
  readonly noToken: boolean;
  readonly metricsOpen: boolean;
  readonly watch: boolean;
  /** Opens the inspector, which answers approvals unless the files say otherwise. */
  readonly inspect: boolean;
  readonly eager: boolean;
  /** Serves the fronts of this machine at a socket. */
  readonly shared: boolean;
  readonly json: boolean;
}

/** A board that is being served. */
export interface Serving {
  readonly server: McpServer;
  /** Returns the server with these options; fronts with the same options share one. */
  readonly serverFor: (wish: ServeWish) => McpServer;
  /** Returns the number of tasks in progress, of all servers. */
  readonly runningTasks: () => number;
  readonly board: Board;
  /** Returns the current `serve` section. */
  readonly section: () => ServeSection;
  /** Adds a listener that is called after each reload, before anything else happens. */
  readonly onReload: (listener: (section: ServeSection) => void) => void;
  /** Writes a line to stderr for the person who started the server. */
  readonly log: (text: string) => void;
  /** Aborts when the server must stop. */
  readonly failed: AbortSignal;
}
