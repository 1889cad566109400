import type { KindHost } from '../../kinds/kind.ts';
import type { KnowledgePlan } from '../../knowledge/plan/plan-knowledge.ts';
import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import type { HttpClients } from './http-clients.ts';
import type { KnowledgePools } from '../knowledge-pools.ts';

/** What one reading of the files decides. */
interface HostParts extends Pick<KindHost, 'data' | 'prefix' | 'serverTool'> {
  readonly plan: KnowledgePlan;
  readonly base: string;
}

/** What the board decides, and no file. */
interface HostOptions extends Pick<KindHost, 'env' | 'cwd' | 'outputs' | 'processes' | 'closed'> {
  readonly clients: HttpClients;
  readonly pools: KnowledgePools;
  readonly secretLists: SecretLists;
}

/** Makes what a board lends its kinds. */
export function createHost(
  { env, cwd, outputs, processes, closed, clients, pools, secretLists }: HostOptions,
  { data, prefix, serverTool, plan, base }: HostParts,
): KindHost {
  return {
    env,
    cwd,
    data,
    outputs,
    spawner: undefined,
    processes,
    prefix,
    closed,
    serverTool,
    redact: (text) => secretLists.redactor.cut(text),
    httpClient: (named) => clients.get(named),
    knowledge: async () => {
      const { Knowledge } = await import('../../knowledge/knowledge.ts');
      return new Knowledge(plan, await pools.open({ data, base }));
    },
  };
}
