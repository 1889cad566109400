import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';
import { loadTalk, type ServerTalk } from './load-talk.ts';
import { ServerOffers } from './offers/server-offers.ts';
import { createRestartSchedule } from './restart-schedule.ts';
import type { ServerCommons } from './server-commons.ts';
import { type ServerSettings, settingsKey } from './server-settings.ts';
import { type StartFailure, StartFailures } from './start-failures.ts';
import { UPSTREAM_CLOCK } from './upstream-clock.ts';
import type { UpstreamResources } from './upstream-resources.ts';

/** The part of the commons that the server itself answers, and the events it listens to. */
type ServerEvents = Pick<
  ServerCommons,
  'room' | 'refusal' | 'onRoots' | 'may' | 'ownerOf' | 'onResourceUpdated' | 'onLog'
> & {
  /** Called, and waited for, when the server offers something else than before. */
  onOffer(): Promise<void>;
  onResources(): void;
  onFailure(failure: StartFailure): void;
};

/** Makes the parts that the processes of one server share, and the memory of its failed starts. */
export function createServerCommons(
  settings: ServerSettings,
  resources: UpstreamResources,
  events: ServerEvents,
): { readonly commons: ServerCommons; readonly failures: StartFailures } {
  const { cache, clock = UPSTREAM_CLOCK } = resources;
  const redact = (text: string): string => resources.redact(text);
  const key = settingsKey(settings, redact);
  const failures = new StartFailures({ settings, cache, key, redact });
  let talk: Promise<ServerTalk> | undefined;
  const commons: ServerCommons = {
    ...events,
    resources,
    clock,
    talk: () => (talk ??= loadTalk(settings, resources)),
    onFailure: (message) => events.onFailure(failures.failed(message)),
    onStart: () => failures.worked(),
    offer: new ServerOffers({
      settings,
      cache,
      key,
      clock,
      onChange: () => events.onOffer(),
      onResources: () => events.onResources(),
    }),
    starts: createRestartSchedule(clock),
    startFailure: undefined,
    habits: { asking: new Set(), quiet: new Set() },
    onLog: (server, level, text) => events.onLog(server, level, stripDeceiving(redact(text))),
  };
  return { commons, failures };
}
