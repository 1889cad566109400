import type { FeatureHost } from '../../load/features/feature.ts';
import type { Placed } from '../../load/features/section.ts';
import type { OfferPlace, OfferRequest, OfferSource } from '../../tool/offers.ts';
import { completePrompt, fillPrompt, listPrompt, type OwnPrompt, type WrittenPrompt } from './own-prompts.ts';
import {
  completeTemplate,
  followResource,
  listResources,
  listTemplate,
  type OwnResource,
  readResource,
  type WrittenResource,
} from './own-resources.ts';

/** The sections of board files with prompts and resources. */
interface OfferSections {
  readonly prompts: readonly Placed<readonly WrittenPrompt[]>[];
  readonly resources: readonly Placed<readonly WrittenResource[]>[];
}

/** Opens the prompts and resources that the files of a board declare. Of two prompts with the same name, the last file's is used. */
export function openOffers(sections: OfferSections, host: Pick<FeatureHost, 'call' | 'offers' | 'ask'>): OfferSource {
  const prompts = new Map<string, OwnPrompt>();
  const resources: OwnResource[] = [];
  for (const one of sections.prompts) {
    const place = { folder: one.folder(), source: one.source() };
    for (const written of one.value) prompts.set(written.name, { written, ...place });
  }
  for (const one of sections.resources) {
    const place = { folder: one.folder(), source: one.source() };
    resources.push(...one.value.map((written) => ({ written, ...place })));
  }
  const call: FeatureHost['call'] = (...wanted) => host.call(...wanted);
  const mayUse = (place: OfferPlace, request: OfferRequest): boolean => request.allows?.(place) ?? true;
  const mayRead = ({ source }: OwnResource, uri: string, request: OfferRequest): boolean =>
    mayUse({ type: 'resource', id: uri, source }, request);
  const isUsed = ({ written, source }: OwnPrompt, request: OfferRequest): boolean =>
    mayUse({ type: 'prompt', id: written.name, source }, request);
  return {
    prompts: (request) => [...prompts.values()].filter((prompt) => isUsed(prompt, request)).map(listPrompt),
    resources: (request) =>
      resources.flatMap((own) => listResources(own).filter(({ id }) => mayRead(own, id, request))),
    templates: (request) => resources.flatMap((own) => listTemplate(own).filter(({ id }) => mayRead(own, id, request))),
    async get(name, args, request) {
      const prompt = prompts.get(name);
      if (prompt === undefined || !isUsed(prompt, request)) return undefined;
      return fillPrompt(prompt, args, {
        request,
        read: (uri, asked) => host.offers.read(uri, asked),
        ask: host.ask,
      });
    },
    async read(uri, request) {
      for (const own of resources) {
        if (!mayRead(own, uri, request)) continue;
        const found = await readResource(own, uri, { request, call });
        if (found !== undefined) return found;
      }
      return undefined;
    },
    async complete({ type, id, argument }, request) {
      if (type === 'prompt') {
        const prompt = prompts.get(id);
        return prompt === undefined || !isUsed(prompt, request) ? undefined : completePrompt(prompt, argument);
      }
      const own = resources.find(({ written }) => written.template === id);
      return own === undefined || !mayRead(own, id, request) ? undefined : completeTemplate(own, argument);
    },
    async follow(uri, request, listener) {
      for (const own of resources) {
        const stop = mayRead(own, uri, request) ? followResource(own, uri, listener) : undefined;
        if (stop !== undefined) return stop;
      }
      return undefined;
    },
  };
}
