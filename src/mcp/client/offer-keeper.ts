import { modernMeta } from './agree-on-era.ts';
import { listTools } from './list-tools.ts';
import type { Manifest, ManifestCache } from './manifest-cache.ts';
import type { Session } from './open-session.ts';
import { type ServerSettings, settingsKey } from './server-settings.ts';
import type { TransportFailure } from './transport.ts';
import type { UpstreamClock } from './upstream-clock.ts';

interface OfferKeeperOptions {
  readonly settings: ServerSettings;
  readonly cache: ManifestCache;
  readonly clock: UpstreamClock;
  /** Takes the board's secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Called, and waited for, when the server offers something else than before. */
  readonly onChange: () => Promise<void>;
}

/** Milliseconds between two looks at a list that keeps changing. */
const PAUSE = 1000;

/** What a server offers: remembered from earlier runs, read from the server, read again when it changes. */
export class OfferKeeper {
  readonly #options: OfferKeeperOptions;
  readonly #key: string;
  #manifest: Manifest | undefined;
  #faults: readonly string[] = [];
  #isWaiting = false;
  #lastRead = Number.NEGATIVE_INFINITY;

  constructor(options: OfferKeeperOptions) {
    this.#options = options;
    this.#key = settingsKey(options.settings, options.redact);
    this.#manifest = options.cache.read(options.settings.name, this.#key);
  }

  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /** What could not be used of the last list. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Asks for the tools and keeps them; gives what went wrong. Rejects only with the reason of the signal. */
  async read({ server, peer }: Session, signal: AbortSignal): Promise<TransportFailure | undefined> {
    const { clock, cache, settings, onChange } = this.#options;
    this.#lastRead = clock.now();
    const meta = server.era === 'modern' ? modernMeta(server.version, {}) : undefined;
    const listed = await listTools(peer, meta, signal);
    if (listed.type === 'failed') return listed.failure;
    const { era, version, name: title, software, instructions } = server;
    const manifest = { era, version, title, software, instructions, tools: listed.tools };
    this.#faults = listed.faults;
    if (JSON.stringify(manifest) === JSON.stringify(this.#manifest)) return undefined;
    this.#manifest = manifest;
    cache.write(settings.name, this.#key, manifest);
    await onChange();
    return undefined;
  }

  /** Looks again when the server says that its list changed; however often it says so, not more than once a second. */
  notice(session: Session, isCurrent: () => boolean): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { clock, settings } = this.#options;
    const look = (): void => {
      // What is said from now on asks for another look.
      this.#isWaiting = false;
      // A list that cannot be read now stays as it was; the next call tells why.
      if (isCurrent()) void this.read(session, AbortSignal.timeout(settings.startTimeout)).catch(() => {});
    };
    const pause = this.#lastRead + PAUSE - clock.now();
    if (pause > 0) clock.setTimer(look, pause);
    else look();
  }
}
