import type { Cancellation } from '../../../../tool/calls/cancellation.ts';
import type { McpServer } from '../../mcp-server.ts';
import type { ToolError, ToolErrorCode } from '../../../../tool/tool-error.ts';

/** An answer: JSON text, or a value to write as JSON. */
export interface PlainAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The HTTP status of each error code. */
const STATUSES: Readonly<Record<ToolErrorCode, number>> = {
  invalid_arguments: 400,
  permission_denied: 403,
  approval_required: 403,
  not_found: 404,
  already_exists: 409,
  outcome_unknown: 409,
  busy: 429,
  execution_failed: 500,
  invalid_config: 500,
  output_too_large: 500,
  upstream_unavailable: 502,
  cancelled: 503,
  timeout: 504,
};

interface PlainFailure {
  readonly status: number;
  /** Seconds after which to try again. */
  readonly retryAfter?: number;
}

/** Returns the status of an error, and when to try again. A waiting question is not an error. */
export function toPlainFailure({ code, reason }: Pick<ToolError, 'code' | 'reason'>): PlainFailure {
  if (code === 'approval_required' && reason === 'too many wait') return { status: 429, retryAfter: 30 };
  // The question has expired, and the same key asks no other.
  if (code === 'approval_required' && reason === 'expired') return { status: 409 };
  if (code === 'busy') return { status: 429, retryAfter: 1 };
  if (code === 'cancelled') return { status: 503, retryAfter: 5 };
  return { status: STATUSES[code] };
}

const CODES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'permission_denied',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  503: 'unavailable',
};

/** Formats the answer to a request that did not become a call. */
export function formatPlainError(status: number, message: string, code = CODES[status]): string {
  return JSON.stringify({
    error: { code: code ?? (status < 500 ? 'bad_request' : 'internal_error'), message },
  });
}

/** The paths for programs without MCP: tools, their document, waiting questions and long outputs. */
export const PLAIN_PATHS = {
  tools: '/tools/',
  document: '/openapi.json',
  approvals: '/approvals/',
  outputs: '/outputs/',
} as const;

export function isPlainPath(pathname: string): boolean {
  const { tools, document, approvals, outputs } = PLAIN_PATHS;
  return pathname === document || [tools, approvals, outputs].some((start) => pathname.startsWith(start));
}

/** The services for programs without MCP. */
export interface PlainServices {
  readonly server: McpServer;
  readonly replica: { readonly id: string };
  readonly needsToken: () => boolean;
  readonly maxBody: () => number;
  /** Counts a call as running until `end`; the call is cancelled when the server stops. */
  readonly begin: () => { readonly cancellation: Cancellation; end(): void };
}
