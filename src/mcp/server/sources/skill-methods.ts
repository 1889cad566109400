import type { BoardParts } from '../../../discovery/board-like.ts';
import type { BoardOffers, SkillEntry } from '../../../tool/offers.ts';
import { invalidParams } from '../../protocol/json-rpc.ts';
import { SKILLS_EXTENSION } from '../../protocol/versions.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import { listRequest } from './offer-request.ts';
import { createPagedList } from './paged-list.ts';

interface SkillMethodOptions {
  readonly pageSize: number;
  readonly listTtl: number;
}

/** The methods of the skills extension (SEP-2640). */
export function skillMethods(
  { offers, registry: { executor } }: BoardParts,
  { pageSize, listTtl }: SkillMethodOptions,
): Readonly<Record<string, MethodHandler>> {
  return {
    'skills/list': ({ connection, params, era }) => {
      const written = skillsFor(offers, connection).map((skill) => JSON.stringify(executor.redactor.data(skill)));
      const list = createPagedList(written, { field: 'skills', pageSize, ttl: listTtl });
      return list.page(params['cursor'], { era, isPublic: false });
    },
    'skills/get': ({ connection, params: { uri }, era }): Answer => {
      const skill = skillsFor(offers, connection).find((one) => one.uri === uri);
      if (skill === undefined) throw invalidParams(`There is no skill ${JSON.stringify(uri)}. See skills/list.`);
      const cache = era === 'modern' ? { ttlMs: listTtl, cacheScope: 'private' } : {};
      return { skill: executor.redactor.data(skill), ...cache };
    },
  };
}

/** Returns the capability of a server that has skills for this client. */
export function skillCapability(
  offers: BoardOffers | undefined,
  { connection }: RequestScope,
): Readonly<Record<string, object>> {
  return skillsFor(offers, connection).length === 0 ? {} : { [SKILLS_EXTENSION]: {} };
}

function skillsFor(offers: BoardOffers | undefined, connection: RequestScope['connection']): readonly SkillEntry[] {
  return offers?.skills?.(listRequest(connection)) ?? [];
}
