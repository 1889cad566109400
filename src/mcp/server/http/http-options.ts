import type { IncomingMessage } from 'node:http';
import type { Caller } from '../caller.ts';
import type { ServerCard } from './respond-card.ts';

/** The refusal of a request: the status, and how to authenticate. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
  readonly wwwAuthenticate: string;
}

/** Authenticates requests. */
export interface Authenticator {
  authenticate(request: IncomingMessage): Caller | Refusal | Promise<Caller | Refusal>;
  /** The document at `/.well-known/oauth-protected-resource`, if tokens come from an authorization server. */
  readonly metadata?: ((request: IncomingMessage) => Readonly<Record<string, unknown>>) | undefined;
}

/** Limits of one client. */
export interface ClientLimits {
  /** Requests each second, on average. */
  readonly rate?: number | undefined;
  /** Requests at once on top of the average. Default: twice the rate. */
  readonly burst?: number | undefined;
  /** Requests in progress at the same time. */
  readonly concurrency?: number | undefined;
}

/** Options of a board served over HTTP. */
export interface HttpOptions {
  /** The address to listen on. With `token: false` it must be one of this machine. Default: 127.0.0.1. */
  readonly host?: string;
  /** The port; 0 for any that is free. Default: 7331. */
  readonly port?: number;
  /** The path of the MCP endpoint. Default: `/mcp`. */
  readonly path?: string;
  /** Authenticates requests, if one token is not enough. */
  readonly authenticator?: Authenticator | undefined;
  /**
   * The token that clients must show, of 16 characters or more. Default: a generated one, see `HttpServer.token`. `false` admits every
   * process of this machine, also of other users.
   */
  readonly token?: string | false | undefined;
  /**
   * The address for browsers, such as `https://board.example.com`: users log in to other servers on pages below it. Default: the listening
   * address if it is local; otherwise there are no such pages.
   */
  readonly publicUrl?: string | undefined;
  /** The server's public description of itself, at `/mcp/server-card` and under `/.well-known`. Default: none. */
  readonly card?: ServerCard | undefined;
  /** Host names of the server in addition to this machine's own. */
  readonly allowedHosts?: readonly string[];
  /** Web pages that may call the server, such as `https://example.com`. */
  readonly allowedOrigins?: readonly string[];
  /** Bytes of one message. Default: 8 MiB. */
  readonly maxBody?: number;
  /** Bytes of all headers together. Default: 16 KiB. */
  readonly maxHeader?: number;
  /** Milliseconds for a whole request to arrive. Default: 30,000. */
  readonly requestTimeout?: number;
  /** Milliseconds for the headers to arrive. Default: 10,000. */
  readonly headersTimeout?: number;
  /** Milliseconds a connection may stay open between requests. Default: 60,000. */
  readonly idleTimeout?: number;
  /** Limits of each client. */
  readonly limits?: ClientLimits;
  /** Receives messages for the operator, for example why tokens cannot be checked. */
  readonly log?: (text: string) => void;
  /** Wrong tokens from one address each minute, before its tokens are ignored for a while. Default: 20. */
  readonly wrongTokens?: number;
  /** Addresses or networks of proxies that may name the client (`X-Forwarded-For`). */
  readonly trustedProxies?: readonly string[];
  /** True when `/metrics` needs no token, even if other requests do. Default: false. */
  readonly metricsOpen?: boolean;
  /** Sessions at once. Default: 1,000. */
  readonly maxSessions?: number;
  /** Milliseconds after which an unused session is removed. Default: 30 minutes. */
  readonly sessionTtl?: number;
  /** Milliseconds for calls to finish when the server stops. Default: 5,000. */
  readonly grace?: number;
  /** Milliseconds for which a stopping server still takes requests, while `/ready` reports it as stopping. Default: 0. */
  readonly drain?: number;
  /** The program's version and the files' digest, for comparing with other processes that serve the same board. */
  readonly served?: { readonly version: string; readonly digest: string };
  /** Called when another process serves other files: the files of this one may have changed unnoticed. */
  readonly onOtherFiles?: () => void;
}

/** Returns true for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name) || name.endsWith('.localhost');
}
