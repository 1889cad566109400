export { RequestError } from './mcp/protocol/json-rpc.ts';
export { McpServer } from './mcp/server/mcp-server.ts';
export type { ExposureMode, McpServerOptions, TaskOptions } from './mcp/server/server-options.ts';
export { serveStdio, type StdioOptions } from './mcp/server/stdio/serve-stdio.ts';
export { type HttpServer, serveHttp } from './mcp/server/http/serve-http.ts';
export type { ServerCard } from './mcp/server/http/respond-card.ts';
export type { Authenticator, ClientLimits, HttpOptions, Refusal } from './mcp/server/http/http-options.ts';
export type { Access, Caller } from './mcp/server/caller.ts';
export { type AskOptions, type InputMethod, type InputRequest, type McpPeer, peerOf } from './mcp/server/peer.ts';
export type {
  CompletedArgument,
  McpIcon,
  PromptListing,
  PromptSource,
  PromptText,
  ResourceContent,
  ResourceListing,
  ResourceSource,
  ResourceTemplateListing,
  SourceRequest,
} from './mcp/server/sources/sources.ts';
export type { IncomingMessage, JsonRpcError, JsonRpcId, JsonRpcParams } from './mcp/protocol/json-rpc.ts';
export type { Era, LogLevel } from './mcp/protocol/mcp-names.ts';
export type {
  ClientCapabilities,
  Connection,
  ConnectionOptions,
  ConnectionServer,
  Exchange,
  Failure,
  KeptRoots,
  Reply,
  RunningRequest,
} from './mcp/server/connection.ts';
export type { OfferPlace } from './tool/offers.ts';
export type { ClientRoot } from './tool/calls/call-owner.ts';
export type { Cancellation, CancelSignal } from './tool/calls/cancellation.ts';
