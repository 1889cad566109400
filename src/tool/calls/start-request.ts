import type { OutgoingRequest, StartedRequest } from './call-requests.ts';
import { REQUESTS, type ToolContext } from '../tool-context.ts';

/** Records a request of a call for its record and spans; `undefined` when neither exists. */
export function startRequest(context: ToolContext, request: OutgoingRequest): StartedRequest | undefined {
  return context[REQUESTS]?.startRequest(request);
}
