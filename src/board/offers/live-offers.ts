import { Emitter } from '../../tool/emitter.ts';
import type { BoardOffers, OfferLog, OfferPlace, OfferRequest, OfferSource, SkillEntry } from '../../tool/offers.ts';
import type { OpenedFeature } from '../features/board-features.ts';
import { ToolContext } from '../../tool/tool-context.ts';

/** A reading of the files with prompts and resources. */
interface OfferReading {
  readonly composed: { readonly offers: OfferSource };
  readonly features: readonly OpenedFeature[];
}

/** The prompts and resources of a board over its latest reading, with its listeners. */
export class LiveOffers implements BoardOffers {
  readonly #reading: () => OfferReading;
  readonly #events = new Emitter<{ changed: 'prompts' | 'resources'; logged: OfferLog }>();
  #known: Readonly<Record<'prompts' | 'resources', string>>;
  /** True once lists are compared: nothing is compared while no one listens. */
  #isHeard = false;

  /** `reading` returns the latest reading. */
  constructor(reading: () => OfferReading) {
    this.#reading = reading;
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

  /** Forwards a log line of a server. */
  logged = (line: OfferLog): void => this.#events.emit('logged', line);

  /** Those of features precede those of servers. */
  #current(): OfferSource {
    const { composed, features } = this.#reading();
    const own = features.flatMap(({ open: { offers: source } }) => (typeof source === 'object' ? [source] : []));
    const allows = (place: OfferPlace): boolean => features.every(({ open }) => open.allowsOffer?.(place) ?? true);
    return allowOnly(joinOffers([...own, composed.offers]), allows);
  }

  /** Compares the lists and notifies listeners of changes. */
  compare(): void {
    if (!this.#isHeard) return;
    const before = this.#known;
    this.#known = this.#write();
    for (const list of ['prompts', 'resources'] as const) {
      if (before[list] !== this.#known[list]) this.#events.emit('changed', list);
    }
  }

  /** Notifies that the resources of one user changed, which others do not see. */
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

/** Limits a source to the prompts and resources that features allow. */
function allowOnly(source: OfferSource, allows: (place: OfferPlace) => boolean): OfferSource {
  const within = (request: OfferRequest): OfferRequest => ({
    ...request,
    allows: (place) => allows(place) && (request.allows?.(place) ?? true),
  });
  return {
    prompts: (request) => source.prompts(within(request)),
    resources: (request) => source.resources(within(request)),
    templates: (request) => source.templates(within(request)),
    skills: (request) => source.skills?.(within(request)) ?? [],
    get: (name, args, request) => source.get(name, args, within(request)),
    read: (uri, request) => source.read(uri, within(request)),
    complete: (wanted, request) => source.complete(wanted, within(request)),
    follow: (uri, request, hear) => source.follow(uri, within(request), hear),
  };
}

/** Joins sources of prompts and resources. Of two with the same name or URI, the first one is used. */
export function joinOffers(sources: readonly OfferSource[]): OfferSource {
  const first = async <T>(ask: (source: OfferSource) => Promise<T | undefined>): Promise<T | undefined> => {
    for (const source of sources) {
      const answer = await ask(source);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    prompts: (request) => sources.flatMap((source) => source.prompts(request)),
    resources: (request) => sources.flatMap((source) => source.resources(request)),
    templates: (request) => sources.flatMap((source) => source.templates(request)),
    skills: (request) => sources.flatMap((source) => source.skills?.(request) ?? []),
    get: (name, args, request) => first((source) => source.get(name, args, request)),
    read: (uri, request) => first((source) => source.read(uri, request)),
    complete: (wanted, request) => first((source) => source.complete(wanted, request)),
    follow: (uri, request, hear) => first((source) => source.follow(uri, request, hear)),
  };
}
