import type { Board } from '../../../board/board.ts';
import type { McpServer } from '../../../mcp/server/mcp-server.ts';
import type { McpServerOptions } from '../../../mcp/server/server-options.ts';
import type { CliContext } from '../../cli-context.ts';
import type { ServeSection } from './serve-settings.ts';

/** What the command line says about serving. */
export interface ServeOptions {
  readonly context: CliContext;
  readonly mode: McpServerOptions['mode'] | undefined;
  readonly compat: McpServerOptions['compat'];
  readonly http: boolean;
  /** Over stdio, whatever the files say. */
  readonly stdio: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly token: string | undefined;
  /** Whether every process of this machine may connect, without a token. */
  readonly noToken: boolean;
  readonly metricsOpen: boolean;
  readonly watch: boolean;
  /** Approvals are answered on the inspector's page, unless the files say otherwise. */
  readonly inspect: boolean;
  readonly eager: boolean;
  readonly json: boolean;
}

/** A board that is served, with what its files say about serving now. */
export interface Serving {
  readonly server: McpServer;
  readonly board: Board;
  /** What the files say now. */
  readonly section: () => ServeSection;
  /** Called after each reload, before anything else happens. */
  readonly onReload: (listener: (section: ServeSection) => void) => void;
  /** Writes a line to stderr, for the person who started the server. */
  readonly log: (text: string) => void;
  /** Aborts when the server must not go on. */
  readonly failed: AbortSignal;
}
