import { modernMeta } from '../session/agree-on-era.ts';
import type { McpSession } from '../session/open-mcp-session.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import type { UpstreamClock } from '../upstream-timing.ts';

interface Subscriber {
  readonly clock: UpstreamClock;
  readonly isCurrent: () => boolean;
  /** Called when changes may have been missed while there was no subscription. */
  readonly onGap: () => void;
}

/** Milliseconds between two subscriptions, doubled after each immediate failure. */
const SUBSCRIBE_PAUSE = 5000;
const LONGEST_PAUSE = 300_000;
const LISTS = ['tools', 'prompts', 'resources'] as const;

/**
 * Follows a server's changes. Servers with a handshake announce changed lists by themselves and take a subscription for each resource;
 * stateless servers have one stream for everything, which is opened again when it ends.
 */
export class ChangeFeed {
  readonly #session: McpSession;
  readonly #subscriber: Subscriber;
  readonly #uris = new Set<string>();
  #stream: AbortController | undefined;

  /** `uris` were followed on an earlier session. */
  constructor(session: McpSession, subscriber: Subscriber, uris: Iterable<string>) {
    this.#session = session;
    this.#subscriber = subscriber;
    if (session.server.era === 'legacy') for (const uri of uris) this.follow(uri);
    else {
      for (const uri of uris) this.#uris.add(uri);
      this.#reopen();
    }
  }

  /** Subscribes to a resource. A server that refuses announces nothing. */
  follow(uri: string): void {
    if (!this.#canFollow || this.#uris.has(uri)) return;
    this.#uris.add(uri);
    this.#update('resources/subscribe', uri);
  }

  unfollow(uri: string): void {
    if (this.#uris.delete(uri)) this.#update('resources/unsubscribe', uri);
  }

  get #canFollow(): boolean {
    const { resources } = this.#session.server.capabilities;
    return isObject(resources) && resources['subscribe'] === true;
  }

  #update(method: string, uri: string): void {
    if (this.#session.server.era === 'modern') this.#reopen();
    else this.#session.peer.request(method, { uri }).catch(() => undefined);
  }

  /** Opens the new stream before the old one ends, so that no change is missed. */
  #reopen(): void {
    const last = this.#stream;
    this.#stream = new AbortController();
    void this.#listen(0, this.#stream);
    last?.abort(new Error('Another stream has taken its place.'));
  }

  async #listen(failures: number, stream: AbortController): Promise<void> {
    const { server, peer } = this.#session;
    const { clock, isCurrent, onGap } = this.#subscriber;
    const notifications = this.#wanted(server.capabilities);
    if (Object.keys(notifications).length === 0) return;
    const started = clock.now();
    try {
      const params = { _meta: modernMeta(server.version, {}), notifications };
      const outcome = await peer.request('subscriptions/listen', params, { signal: stream.signal });
      if (outcome.type === 'error') return;
    } catch {
      return;
    }
    const isWanted = (): boolean => isCurrent() && this.#stream === stream;
    if (!isWanted()) return;
    const count = clock.now() - started > SUBSCRIBE_PAUSE ? 0 : failures + 1;
    const again = (): void => {
      if (!isWanted()) return;
      void this.#listen(count, stream);
      onGap();
    };
    clock.setTimer(again, Math.min(SUBSCRIBE_PAUSE * 2 ** Math.max(0, count - 1), LONGEST_PAUSE));
  }

  #wanted(capabilities: JsonObject): JsonObject {
    const announced = LISTS.filter((list) => {
      const capability = capabilities[list];
      return isObject(capability) && capability['listChanged'] === true;
    });
    const uris = this.#canFollow ? [...this.#uris] : [];
    return {
      ...Object.fromEntries(announced.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    };
  }
}
