import { dirname, resolve } from 'node:path';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { OfferPlace, OfferRequest, OfferSource } from '../../tool/offers.ts';
import { completePrompt, fillPrompt, listPrompt, type OwnPrompt, type WrittenPrompt } from './own-prompts.ts';
import {
  type CallTool,
  completeTemplate,
  followResource,
  listResources,
  listTemplate,
  type OwnResource,
  readResource,
  type WrittenResource,
} from './own-resources.ts';

/** What the board's own prompts and resources are read with. */
interface OwnOffersOptions {
  readonly cwd: string;
  /** Calls a tool of the board. */
  readonly call: CallTool;
  /** What the policies let pass. */
  readonly allows: (place: OfferPlace) => boolean;
  /** All of the board, for prompts that carry a resource. */
  readonly all: () => OfferSource;
}

/** The prompts and resources that the files of a board declare. Of two prompts with one name the last file's is used. */
export function ownOffers(files: readonly LoadedFile[], { cwd, call, allows, all }: OwnOffersOptions): OfferSource {
  const prompts = new Map<string, OwnPrompt>();
  const resources: OwnResource[] = [];
  for (const { file, name: source, prompts: written, resources: places } of files) {
    const folder = dirname(resolve(cwd, file));
    // Both sections were checked against their schemas.
    for (const prompt of written as readonly WrittenPrompt[])
      prompts.set(prompt.name, { written: prompt, folder, source });
    for (const place of places as readonly WrittenResource[]) resources.push({ written: place, folder, source });
  }
  const mayUse = (place: OfferPlace, request: OfferRequest): boolean =>
    allows(place) && (request.allows?.(place) ?? true);
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
      return fillPrompt(prompt, args, { request, read: (uri, asked) => all().read(uri, asked) });
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
    async follow(uri, request, hear) {
      for (const own of resources) {
        const stop = mayRead(own, uri, request) ? followResource(own, uri, hear) : undefined;
        if (stop !== undefined) return stop;
      }
      return undefined;
    },
  };
}
