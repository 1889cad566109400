import { ToolError, type ToolErrorCode } from '../../tool/tool-error.ts';
import type { HttpRequest } from './http-messages.ts';

/** Describes why a request got no response and how to fix it. */
interface Explanation {
  readonly code: ToolErrorCode;
  readonly what: string;
  readonly fix: string;
  /** False when a retry cannot help. */
  readonly recoverable?: boolean;
}

const CHECK_URL = 'Check the host and the port in the url of the tool.';
const TRY_LATER = 'Try again later.';

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: unreachable('nothing listens there', `Check that the server runs. ${CHECK_URL}`),
  ENOTFOUND: unreachable('its name cannot be resolved', CHECK_URL),
  EAI_AGAIN: unreachable('its name cannot be resolved at the moment', TRY_LATER),
  ECONNRESET: unreachable('the server closed the connection', TRY_LATER),
  EPIPE: unreachable('the server closed the connection', TRY_LATER),
  UND_ERR_SOCKET: unreachable('the server closed the connection', TRY_LATER),
  EHOSTUNREACH: unreachable('there is no route to it', 'Check the network.'),
  ENETUNREACH: unreachable('there is no route to it', 'Check the network.'),
  ETIMEDOUT: late('no connection was made in time', CHECK_URL),
  UND_ERR_CONNECT_TIMEOUT: late('no connection was made in time', CHECK_URL),
  UND_ERR_HEADERS_TIMEOUT: late('the server took too long to begin its answer', TRY_LATER),
  UND_ERR_BODY_TIMEOUT: late('the server stopped in the middle of its answer', TRY_LATER),
  UND_ERR_HEADERS_OVERFLOW: broken('the headers of the answer are too long'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: broken('the answer is not as long as it says'),
  Z_DATA_ERROR: broken('the answer is compressed in a way that cannot be read'),
  Z_BUF_ERROR: broken('the compressed answer ends too soon'),
  ERR_PADDING_2: broken('the answer is compressed in a way that cannot be read'),
};

/** Error codes of connections that failed certificate checks. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/;

/** Converts an error from sending a request or reading its response to a `ToolError`. */
export function explainFailure(thrown: unknown, request: Pick<HttpRequest, 'method' | 'url'>): ToolError {
  if (thrown instanceof ToolError) return thrown;
  const errorCode = readCode(thrown);
  const isParserError = thrown instanceof Error && thrown.name === 'HTTPParserError';
  const { code, what, fix, recoverable } = isParserError ? broken('the answer is not HTTP') : explain(errorCode);
  const message = `${request.method} ${URL.parse(request.url)?.origin ?? 'request'} failed: ${what}${errorCode === '' ? '' : ` (${errorCode})`}. ${fix}`;
  return new ToolError({ code, message, cause: thrown, recoverable });
}

/** Creates the error for a request that timed out or was cancelled. */
export function explainStop({ reason }: AbortSignal, request: Pick<HttpRequest, 'method' | 'url'>): ToolError {
  if (reason instanceof ToolError) return reason;
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError';
  const message = `${request.method} ${URL.parse(request.url)?.origin ?? 'request'} was ${isTimeout ? 'given up: it took too long' : 'cancelled'}.`;
  return new ToolError({ code: isTimeout ? 'timeout' : 'cancelled', message, cause: reason });
}

/** Returns true when the server cannot have seen the request, or the connection broke. */
export function isConnectionFailure(error: ToolError): boolean {
  return (
    error.recoverable && (error.code === 'upstream_unavailable' || readCode(error.cause) === 'UND_ERR_CONNECT_TIMEOUT')
  );
}

function explain(errorCode: string): Explanation {
  const known = EXPLANATIONS[errorCode];
  if (known !== undefined) return known;
  if (/^ERR__ZSTD|^ERR__ERROR_FORMAT|^ERR_BROTLI|^ZSTD_/.test(errorCode))
    return broken('the answer is compressed in a way that cannot be read');
  if (CERTIFICATE.test(errorCode)) {
    const fix = 'Check that the url names the right host, or trust its certificate with NODE_EXTRA_CA_CERTS.';
    return { ...unreachable('no secure connection can be made', fix), recoverable: false };
  }
  return unreachable('the connection broke', TRY_LATER);
}

function readCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

function unreachable(what: string, fix: string): Explanation {
  return { code: 'upstream_unavailable', what, fix };
}

function late(what: string, fix: string): Explanation {
  return { code: 'timeout', what, fix };
}

function broken(what: string): Explanation {
  return { code: 'execution_failed', what, fix: 'Tell the operator of the server.' };
}
