import type { OutgoingRequest, StartedRequest } from './call-requests.ts';
import { REQUESTS, type ToolContext } from '../tool-context.ts';

/** Notes a request that a call makes, for its record and its spans; `undefined` where there are none. */
export function startRequest(context: ToolContext, request: OutgoingRequest): StartedRequest | undefined {
  return context[REQUESTS]?.startRequest(request);
}
