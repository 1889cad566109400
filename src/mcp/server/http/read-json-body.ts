import { readBody } from './read-body.ts';
import { respondError } from './respond.ts';
import type { Visit } from './session-endpoint.ts';

/**
 * Reads the JSON of a POST and hands it on with the visit as it is then: tokens or rights may have changed while the body was on its
 * way. Answers the request itself where it is no JSON, too large, or its sender has no access any more.
 */
export function readJsonBody(visit: Visit, maxBody: number, take: (body: string, visit: Visit) => void): void {
  const { request, response } = visit;
  const type = request.headers['content-type'];
  // Pages of other sites cannot send this type without asking first.
  if (type === undefined || !/^application\/json(?:\s*;|$)/i.test(type))
    return respondError(response, 415, {
      message: `Send JSON with content-type: application/json; got "${type ?? ''}".`,
    });
  readBody(request, maxBody, (body) => {
    if (body === undefined) {
      const message = `The message is larger than ${maxBody} bytes, which is all this server takes.`;
      respondError(response, 413, { message, headers: { connection: 'close' } });
    } else if (visit.isCurrent()) take(body, visit);
    else takeAgain(body, visit, take);
  });
}

/** Tokens or rights changed: what holds now decides. */
function takeAgain(body: string, visit: Visit, take: (body: string, visit: Visit) => void): void {
  const headers = { 'www-authenticate': 'Bearer realm="pegboard", error="invalid_token"' };
  const refuse = (): void => respondError(visit.response, 401, { message: 'The token is not good any more.', headers });
  void Promise.resolve(visit.recheck()).then(
    (caller) => (caller === undefined ? refuse() : take(body, { ...visit, caller })),
    refuse,
  );
}
