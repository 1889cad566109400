import type { Cancellation } from '../../../../tool/calls/cancellation.ts';
import type { McpServer } from '../../mcp-server.ts';
import type { ToolError, ToolErrorCode } from '../../../../tool/tool-error.ts';

/** The answer to a request: written JSON, or a value to write. */
export interface PlainAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status that each way to fail has over plain HTTP. */
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

/** The answer to a failed call. */
interface PlainFailure {
  readonly status: number;
  /** Seconds after which it may be tried again. */
  readonly retryAfter?: number;
}

/** The status of an error, and when to try again. A question that waits is none: it has an answer of its own. */
export function toPlainFailure({ code, reason }: Pick<ToolError, 'code' | 'reason'>): PlainFailure {
  if (code === 'approval_required' && reason === 'too many wait') return { status: 429, retryAfter: 30 };
  // The question is over, and the same key asks no other.
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

/** The body of an answer to a request that never became a call. */
export function formatPlainError(status: number, message: string, code = CODES[status]): string {
  return JSON.stringify({
    error: { code: code ?? (status < 500 ? 'bad_request' : 'internal_error'), message },
  });
}

/** The paths of tools, their document, waiting questions and long outputs, for programs without MCP. */
export const PLAIN_PATHS = {
  tools: '/tools/',
  document: '/openapi.json',
  approvals: '/approvals/',
  outputs: '/outputs/',
} as const;

/** Returns true for one of the paths for programs without MCP. */
export function isPlainPath(pathname: string): boolean {
  const { tools, document, approvals, outputs } = PLAIN_PATHS;
  return pathname === document || [tools, approvals, outputs].some((start) => pathname.startsWith(start));
}

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
