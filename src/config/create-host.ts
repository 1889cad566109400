import { createEgressPolicy } from '../http/egress.ts';
import { createHttpClient, type HttpClient } from '../http/http-client.ts';
import type { KindHost } from '../kinds/kind-host.ts';
import type { KnowledgePlan } from '../rag/plan-knowledge.ts';
import type { KnowledgePools } from './knowledge-pools.ts';

/** What one reading of the files decides. */
interface HostParts extends Pick<KindHost, 'data' | 'prefix' | 'closed'> {
  readonly plan: KnowledgePlan;
  readonly base: string;
}

/** What the board decides, whatever its files say. */
interface HostOptions extends Pick<KindHost, 'env' | 'cwd' | 'outputs'> {
  readonly allowHosts: readonly string[];
  readonly pools: KnowledgePools;
}

/** Makes what a board lends its kinds; the clients it makes are put into `clients`, for whoever closes them. */
export function createHost(
  { env, cwd, outputs, allowHosts, pools }: HostOptions,
  clients: Map<string, HttpClient>,
  { data, prefix, closed, plan, base }: HostParts,
): KindHost {
  const host: KindHost = {
    env,
    cwd,
    data,
    outputs,
    spawner: undefined,
    prefix,
    closed,
    httpClient: (named) => {
      const allow = [...allowHosts, ...named];
      const key = allow.toSorted().join(' ');
      let client = clients.get(key);
      if (client === undefined)
        clients.set(key, (client = createHttpClient({ egress: createEgressPolicy({ allow }) })));
      return client;
    },
    knowledge: async () => {
      const { Knowledge } = await import('../rag/knowledge.ts');
      return new Knowledge(plan, await pools.open({ data, base, httpClient: (named) => host.httpClient(named) }));
    },
  };
  return host;
}
