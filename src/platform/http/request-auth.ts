import type { CallStop } from './call-stop.ts';
import type { HttpRequest, HttpResponse } from './http-messages.ts';

/** Adds credentials to the requests to one API. */
export interface RequestAuth {
  /**
   * Returns the request with credentials, or unchanged when it goes to another server. Throws a `ToolError` without
   * any.
   */
  authorize(request: HttpRequest): HttpRequest | Promise<HttpRequest>;
  /** Gets new credentials after a 401. Returns false when there are none. */
  renew?(refused: HttpRequest): Promise<boolean>;
}

/**
 * Sends a request with credentials. A 401 means that the server did nothing, so it is sent once more with new
 * credentials.
 */
export async function sendAuthorized(
  request: HttpRequest,
  send: (request: HttpRequest) => Promise<HttpResponse>,
  { auth, stop }: { readonly auth: RequestAuth; readonly stop: CallStop },
): Promise<HttpResponse> {
  const authorized = await untilStopped(auth.authorize(request), stop);
  const response = await send(authorized);
  // Credentials written in the config cannot be renewed.
  if (response.status !== 401 || auth.renew === undefined || authorized === request) return response;
  if (!(await untilStopped(auth.renew(authorized), stop))) return response;
  return send(await untilStopped(auth.authorize(request), stop));
}

/** Stops waiting when the request ends. The work goes on, because other requests may wait for the same token. */
async function untilStopped<T>(work: T | Promise<T>, stop: CallStop): Promise<T> {
  if (!(work instanceof Promise)) return work;
  const stopped = Promise.withResolvers<never>();
  const end = (): void => stopped.reject(new Error('The request was stopped.'));
  const stopListening = stop.listen(end);
  if (stop.isOver) end();
  try {
    return await Promise.race([stopped.promise, work]);
  } finally {
    stopListening();
  }
}
