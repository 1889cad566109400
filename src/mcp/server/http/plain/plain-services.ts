import type { Cancellation } from '../../../../tool/calls/cancellation.ts';
import type { McpServer } from '../../mcp-server.ts';

/** What requests for programs that know no MCP are answered with. */
export interface PlainServices {
  readonly server: McpServer;
  /** This process among those that serve the board. */
  readonly replica: { readonly id: string };
  /** Whether clients must show a token. */
  readonly needsToken: () => boolean;
  readonly maxBody: () => number;
  /** Counts a call as running until the function that it returns is called; the call ends when the server does. */
  readonly begin: () => { readonly cancellation: Cancellation; end(): void };
}
