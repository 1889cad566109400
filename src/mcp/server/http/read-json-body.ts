import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { type BodyBounds, readBody } from './read-body.ts';
import { tooManyValues } from '../../protocol/message-values.ts';
import { inTurn } from './large-turns.ts';
import { respondError } from './respond.ts';
import type { Visit } from './session-endpoint.ts';

/**
 * Reads the JSON of a POST and hands it on with the visit as it is then: tokens or rights may have changed while the body was on its
 * way. Answers the request itself where it is no JSON, too large, or its sender has no access any more.
 */
export function readJsonBody(
  visit: Visit,
  bounds: Required<BodyBounds>,
  take: (body: string, visit: Visit) => void,
): void {
  const { request, response } = visit;
  const type = request.headers['content-type'];
  // Pages of other sites cannot send this type without asking first.
  if (type === undefined || !/^application\/json(?:\s*;|$)/i.test(type))
    return respondError(response, 415, {
      message: `Send JSON with content-type: application/json; got "${type ?? ''}".`,
    });
  readBody(request, bounds, (body) => {
    const headers = { connection: 'close' };
    if (body.ok) {
      inTurn(body.text.length, visit.owner, () => {
        if (visit.isCurrent()) take(body.text, visit);
        else takeAgain(body.text, visit, take);
      });
    } else if (body.excess === 'bytes') {
      const message = `The message is larger than ${bounds.bytes} bytes, which is all this server takes.`;
      respondError(response, 413, { message, headers });
    } else {
      const error = { code: ERROR_CODES.invalidParams, plain: 'invalid_arguments', headers };
      respondError(response, 400, { message: tooManyValues(bounds.values), ...error });
    }
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
