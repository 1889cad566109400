import type { BoardOffers } from '../../../tool/offers.ts';
import { formatNotification, invalidParams } from '../../protocol/json-rpc.ts';
import { Peer } from '../peer.ts';
import type { Answer, RequestScope } from '../request-scope.ts';
import type { RequestStates } from '../request-state.ts';
import { offerRequest, toRequestError } from './offer-request.ts';

const MAX_SUBSCRIPTIONS = 1_000;
const MAX_URI = 4_096;

interface ResourceFollowers {
  subscribe(scope: RequestScope): Promise<Answer>;
  unsubscribe(scope: RequestScope): Answer;
  /** Calls `listener` when a resource changes until the returned function is called; ignores a server that cannot be reached. */
  follow(scope: RequestScope, uri: string, listener: () => void): Promise<() => void>;
}

/** Subscribes clients to resources, also those of other MCP servers. */
export function resourceFollowers(offers: BoardOffers | undefined, states: RequestStates): ResourceFollowers {
  const start = async (scope: RequestScope, uri: string, listener: () => void): Promise<() => void> => {
    const { connection } = scope;
    const { key } = connection.caller.access;
    const peer = new Peer(scope, { states, state: undefined, redactor: { redact: (value) => value } });
    // Other rights may no longer include the resource.
    const notify = (): void => (connection.caller.access.key === key ? listener() : undefined);
    const stop = await offers?.follow(uri, offerRequest(scope, peer), notify);
    return stop ?? (() => {});
  };
  return {
    async subscribe(scope) {
      const { connection } = scope;
      const uri = readUri(scope);
      const { subscribed } = connection;
      if (subscribed.has(uri)) return '{}';
      if (subscribed.size >= MAX_SUBSCRIPTIONS)
        throw invalidParams(`This client follows ${MAX_SUBSCRIPTIONS} resources already. Unsubscribe from some first.`);
      subscribed.add(uri);
      const listener = (): void => connection.notify?.(formatNotification('notifications/resources/updated', { uri }));
      try {
        connection.onUnsubscribe(uri, await start(scope, uri, listener));
      } catch (error) {
        subscribed.delete(uri);
        throw toRequestError(error, scope);
      }
      return '{}';
    },
    unsubscribe(scope) {
      scope.connection.unsubscribe(readUri(scope));
      return '{}';
    },
    follow: (scope, uri, listener) => start(scope, uri, listener).catch(() => () => {}),
  };
}

function readUri({ params: { uri } }: RequestScope): string {
  if (typeof uri !== 'string') throw invalidParams('params.uri must be a string.');
  if (uri.length > MAX_URI) throw invalidParams(`params.uri has ${uri.length} characters; ${MAX_URI} is the most.`);
  return uri;
}
