import { Emitter } from '../../tool/emitter.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { BoardOffers, OfferLog, OfferPlace, OfferRequest, OfferSource, SkillEntry } from '../../tool/offers.ts';
import { joinOffers } from './join-offers.ts';
import type { ownOffers } from './own-offers.ts';
import { callWithinRights, type CallingBoard } from './call-within-rights.ts';
import { ToolContext } from '../../tool/tool-context.ts';

/** What a reading of the files says about prompts and resources. */
interface OfferReading {
  readonly files: readonly LoadedFile[];
  readonly cwd: string;
  readonly offers: OfferSource;
  readonly ownOffers: typeof ownOffers | undefined;
  readonly allowsOffer: (place: OfferPlace) => boolean;
}

/** The prompts and resources of a board over its latest reading, and who hears of changes. */
export class LiveOffers implements BoardOffers {
  readonly #reading: () => OfferReading;
  readonly #board: CallingBoard;
  readonly #events = new Emitter<{ changed: 'prompts' | 'resources'; logged: OfferLog }>();
  #known: Readonly<Record<'prompts' | 'resources', string>>;
  /** Whether lists are compared: none is written while no one listens. */
  #isHeard = false;

  /** `reading` gives the latest one; the board calls the tools of resources that a tool gives. */
  constructor(reading: () => OfferReading, board: CallingBoard) {
    this.#reading = reading;
    this.#board = board;
    this.#known = { prompts: '', resources: '' };
  }

  prompts: BoardOffers['prompts'] = (request) => this.#current().prompts(request);
  resources: BoardOffers['resources'] = (request) => this.#current().resources(request);
  templates: BoardOffers['templates'] = (request) => this.#current().templates(request);
  skills = (request: OfferRequest): readonly SkillEntry[] => this.#current().skills?.(request) ?? [];
  get: BoardOffers['get'] = (...wanted) => this.#current().get(...wanted);
  read: BoardOffers['read'] = (...wanted) => this.#current().read(...wanted);
  complete: BoardOffers['complete'] = (...wanted) => this.#current().complete(...wanted);
  follow: BoardOffers['follow'] = (...wanted) => this.#current().follow(...wanted);

  onChange(listener: (list: 'prompts' | 'resources') => void): () => void {
    if (!this.#isHeard) this.#known = this.#write();
    this.#isHeard = true;
    return this.#events.on('changed', listener);
  }

  onLog(listener: (line: OfferLog) => void): () => void {
    return this.#events.on('logged', listener);
  }

  /** Hands on a log line of a server. */
  logged = (line: OfferLog): void => this.#events.emit('logged', line);

  /** Those of the files go before those of servers. */
  #current(): OfferSource {
    const { files, cwd, offers, ownOffers, allowsOffer } = this.#reading();
    const call = callWithinRights(this.#board);
    const own = ownOffers?.(files, { cwd, call, allows: allowsOffer, all: () => this });
    return own === undefined ? offers : joinOffers([own, offers]);
  }

  /** Looks whether a list has changed, and tells. */
  compare(): void {
    if (!this.#isHeard) return;
    const before = this.#known;
    this.#known = this.#write();
    for (const list of ['prompts', 'resources'] as const) {
      if (before[list] !== this.#known[list]) this.#events.emit('changed', list);
    }
  }

  /** Tells that the resources of one user changed, which others do not see. */
  resourcesChanged(): void {
    this.#events.emit('changed', 'resources');
  }

  #write(): Readonly<Record<'prompts' | 'resources', string>> {
    const request = { context: new ToolContext() };
    const { prompts, resources, templates } = this;
    return {
      prompts: JSON.stringify(prompts(request)),
      resources: JSON.stringify([resources(request), templates(request)]),
    };
  }
}
