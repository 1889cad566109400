import { Emitter } from '../../tool/emitter.ts';
import type { BoardOffers, OfferRequest, OfferSource, SkillEntry } from '../../tool/offers.ts';
import { ToolContext } from '../../tool/tool-context.ts';

/** The prompts and resources of a board over its latest reading, and who hears of changes. */
export class LiveOffers implements BoardOffers {
  readonly #current: () => OfferSource;
  readonly #events = new Emitter<{ changed: 'prompts' | 'resources' }>();
  #known: Readonly<Record<'prompts' | 'resources', string>>;
  /** Whether lists are compared: none is written while no one listens. */
  #isHeard = false;

  constructor(current: () => OfferSource) {
    this.#current = current;
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
