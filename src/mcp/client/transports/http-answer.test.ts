import { expect, it } from 'vitest';
import { isSessionLost } from './http-answer.ts';

const error = (code: number, message: string): object => ({ jsonrpc: '2.0', id: null, error: { code, message } });

it.for([
  // TypeScript SDK v1 and v2, C# SDK
  [404, error(-32_001, 'Session not found')],
  [400, error(-32_000, 'Bad Request: Server not initialized')],
  [400, error(-32_000, 'Bad Request: Mcp-Session-Id header is required')],
  // server-everything and hosts like it
  [400, error(-32_000, 'Bad Request: No valid session ID provided')],
  [400, 'Invalid or missing session ID'],
  // Python SDK and FastMCP, later and earlier
  [404, error(-32_600, 'Session not found')],
  [404, error(-32_600, 'Not Found: Session has been terminated')],
  [400, 'Bad Request: No valid session ID provided'],
  // Go SDK and mcp-go
  [404, 'session not found'],
  [404, 'Session terminated'],
  [400, 'Invalid session ID'],
  // Rust SDK, earlier
  [401, 'Unauthorized: Session not found'],
  // HTTP+SSE of 2024
  [400, 'No transport found for sessionId'],
  // Pegboard
  [404, error(-32_002, 'There is no such session (any more). Send initialize again.')],
  // No words at all
  [404, ''],
  [400, ''],
] as const)('takes %s %o for a lost session', ([status, said]) => {
  expect(isSessionLost(toRefusal(status, said))).toBe(true);
});

it.for([
  [404, error(-32_601, 'Method not found')],
  [404, error(-32_602, 'Unknown tool: session_get')],
  [400, error(-32_602, 'Invalid session name')],
  [400, error(-32_700, 'Parse error: Invalid JSON')],
  [400, error(-32_600, 'Invalid Request: Batch must not exceed 100 messages')],
  [400, error(-32_000, 'Bad Request: Unsupported protocol version: 1')],
  [400, error(-32_020, 'Mcp-Name does not match; session unknown')],
  [400, 'Request Header Or Cookie Too Large'],
  [401, ''],
  [401, 'Unauthorized'],
  [403, error(-32_000, 'Session not found')],
  [500, error(-32_001, 'Session not found')],
  [429, 'too many sessions'],
  [200, error(-32_001, 'Session not found')],
] as const)('does not take %s %o for one', ([status, said]) => {
  expect(isSessionLost(toRefusal(status, said))).toBe(false);
});

function toRefusal(status: number, said: string | object): Parameters<typeof isSessionLost>[0] {
  return typeof said === 'string'
    ? { status, message: undefined, text: said }
    : { status, message: { ...said }, text: JSON.stringify(said) };
}
