import type { OfferSource } from '../../tool/offers.ts';

/** Puts sources of prompts and resources together. Of two that have the same name or address, the first is asked. */
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
