import type { CallStop } from './call-stop.ts';
import type { HttpRequest, HttpResponse } from './http-messages.ts';

/** Lets requests in at one API. */
export interface RequestAuth {
  /** The request with credentials; as it is when it goes to another server than they are for. Throws a `ToolError` when there are none. */
  authorize(request: HttpRequest): HttpRequest | Promise<HttpRequest>;
  /** After a 401: gets other credentials than those of the refused request. Gives whether there are some now. */
  renew?(refused: HttpRequest): Promise<boolean>;
}

/** Sends a request with credentials. One that is refused with 401 did nothing: it is sent once more when there are other credentials. */
export async function sendAuthorized(
  request: HttpRequest,
  send: (request: HttpRequest) => Promise<HttpResponse>,
  { auth, stop }: { readonly auth: RequestAuth; readonly stop: CallStop },
): Promise<HttpResponse> {
  const authorized = await untilStopped(auth.authorize(request), stop);
  const response = await send(authorized);
  // What the config writes itself is not ours to renew.
  if (response.status !== 401 || auth.renew === undefined || authorized === request) return response;
  if (!(await untilStopped(auth.renew(authorized), stop))) return response;
  return send(await untilStopped(auth.authorize(request), stop));
}

/** Others may wait for the same token: it is got to the end, and only this request stops waiting. */
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
