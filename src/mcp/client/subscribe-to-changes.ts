import { modernMeta } from './agree-on-era.ts';
import { isObject } from './wire-message.ts';
import type { Session } from './open-session.ts';
import type { UpstreamClock } from './upstream-clock.ts';

const PAUSE = 5000;
const MAX_FAILURES = 10;

/** Asks a server of the newer era to tell of changes to its tools, and asks again when that ends; older ones tell unasked. */
export function subscribeToChanges({ server, peer }: Session, clock: UpstreamClock, isCurrent: () => boolean): void {
  const { tools } = server.capabilities;
  if (server.era !== 'modern' || !isObject(tools) || tools['listChanged'] !== true) return;
  const params = { _meta: modernMeta(server.version, {}), notifications: { toolsListChanged: true } };
  const listen = async (failures: number): Promise<void> => {
    const started = clock.now();
    const outcome = await peer.request('subscriptions/listen', params);
    if (outcome.type === 'error' || !isCurrent()) return;
    const count = clock.now() - started > PAUSE ? 0 : failures + 1;
    if (count < MAX_FAILURES) clock.setTimer(() => void (isCurrent() && listen(count)), PAUSE);
  };
  void listen(0);
}
