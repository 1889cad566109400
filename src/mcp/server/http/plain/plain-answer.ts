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
export interface PlainFailure {
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
