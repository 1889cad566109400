import type { Cancellation } from '../../../../tool/calls/cancellation.ts';
import type { McpServer } from '../../mcp-server.ts';

/** The parts of the server that answer programs without MCP. */
export interface PlainServices {
  readonly server: McpServer;
  /** This process among those that serve the board. */
  readonly replica: { readonly id: string };
  /** Returns true when clients must show a token. */
  readonly needsToken: () => boolean;
  readonly maxBody: () => number;
  /** Counts a call as running until the function that it returns is called; the call ends when the server does. */
  readonly begin: () => { readonly cancellation: Cancellation; end(): void };
}
