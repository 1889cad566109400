import { existsSync } from 'node:fs';
import { dataFolder, homeFolder } from '../../../load/data-folder.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { collectionsOf, readKnowledge } from '../../../features/knowledge/read-knowledge.ts';
import { knowledge } from '../../../features/knowledge/feature.ts';
import { mergeSections } from '../../../load/features/section.ts';
import { isLocal } from '../../../vectors/embedder-config.ts';
import type { PlannedCollection, PlannedServer } from '../../../knowledge/plan/knowledge-plan.ts';
import { KnowledgeCollection } from '../../../knowledge/collection/knowledge-collection.ts';
import { KnowledgePool } from '../../../knowledge/knowledge-pool.ts';
import { readEmbedding } from '../../../knowledge/collection/embedding-problem.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { toCell } from '../../shared/print/columns.ts';
import { knowledgeDrivers, type Plugin } from '../../../load/plugins/define-plugin.ts';
import { type Check, Needs } from './check.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

interface KnowledgeCheckOptions {
  /** Allows requests to servers of other processes. */
  readonly online: boolean;
  readonly plugins: readonly Plugin[];
}

const TIMEOUT = 10_000;

/**
 * Checks the stores and models of knowledge tools: packages installed, files readable, weights usable.
 * Contacts servers only when online.
 */
export async function checkKnowledge(
  files: readonly LoadedFile[],
  { online, plugins }: KnowledgeCheckOptions,
  { cwd, env, signal }: CliContext,
): Promise<Check[]> {
  const { rag } = mergeSections(knowledge.sections, files, cwd);
  const { plan } = readKnowledge(rag, files, knowledgeDrivers(plugins));
  const usersOf = readUsers(files);
  const base = homeFolder(files, cwd);
  const stores = new KnowledgePool({ data: dataFolder(files, { data: undefined, env, cwd }), base });
  // No folder for vectors: a cached vector would answer instead of the model.
  const models = new KnowledgePool({ data: undefined, base });
  const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
  const planned = [...plan.collections.values()];
  const servers = [...Map.groupBy(planned, ({ server }) => server)];
  const embedders = Map.groupBy(planned, ({ embedder }) => JSON.stringify(embedder ?? null)).values();
  const rerankers = Map.groupBy(planned, ({ reranker }) => JSON.stringify(reranker ?? null)).values();
  try {
    const [storeChecks, modelChecks, orderChecks] = await Promise.all([
      Promise.all(
        servers.map(async ([server, collections]): Promise<Check> => {
          const outcome = await judge(() => checkStore(server, stores, online), stop);
          return { kind: 'store', name: server.name, ...outcome, tools: usersOf(collections) };
        }),
      ),
      Promise.all(
        [...embedders].flatMap((collections): Promise<Check>[] => {
          const config = collections[0]?.embedder;
          if (config === undefined) return [];
          const { platform = 'openai', model = platform } = config;
          const check = async (): Promise<string> => {
            // Throws for a missing setting, such as a key. Sends no request yet.
            const embedder = await models.embedder(config);
            if (!online && !isLocal(config)) return `${platform}, not contacted; try pegboard doctor --online`;
            await embedder.embed(['ready'], { signal: stop });
            for (const collection of collections) await readEmbedding(collection, embedder, stop);
            return `${platform}, answers`;
          };
          const tools = usersOf(collections);
          return [judge(check, stop).then((outcome) => ({ kind: 'model', name: model, ...outcome, tools }))];
        }),
      ),
      Promise.all(
        [...rerankers].flatMap((collections): Promise<Check>[] => {
          const config = collections[0]?.reranker;
          if (config === undefined) return [];
          const { platform = '', model = platform } = config;
          const check = async (): Promise<string> => {
            const reranker = await models.reranker(config);
            if (!online) return `${platform} reranker, not contacted; try pegboard doctor --online`;
            await reranker.rerank('ready', ['ready', 'not ready'], stop);
            return `${platform} reranker, answers`;
          };
          const tools = usersOf(collections);
          return [judge(check, stop).then((outcome) => ({ kind: 'model', name: model, ...outcome, tools }))];
        }),
      ),
    ]);
    // Collections come last, when the vector length of each model is known.
    const collectionChecks = planned.map(async (collection) => {
      const { server } = collection;
      const isThere = storeChecks.some(({ name, status }) => name === server.name && status === 'ok');
      if (!isThere || !canBeAsked(server, stores, online)) return [];
      return checkCollection(collection, { stores, models }, usersOf([collection]));
    });
    return [...storeChecks, ...modelChecks, ...orderChecks, ...(await Promise.all(collectionChecks)).flat()];
  } finally {
    await Promise.all([stores.close(), models.close()]);
  }
}

/** Finds the tools that use any of the given collections. */
function readUsers(files: readonly LoadedFile[]): (collections: readonly PlannedCollection[]) => string[] {
  const needs = new Needs();
  for (const entry of files.flatMap(({ entries }) => entries)) {
    for (const { name } of collectionsOf(entry)) needs.add(name, entry.metadata.name);
  }
  const users = new Map(needs.list().map(({ need, tools }) => [need, tools]));
  return (collections) => [...new Set(collections.flatMap(({ name }) => users.get(name) ?? []))];
}

/** Compares the vectors of a collection with the config; empty if they agree. */
async function checkCollection(
  plan: PlannedCollection,
  { stores, models }: { readonly stores: KnowledgePool; readonly models: KnowledgePool },
  tools: readonly string[],
): Promise<Check[]> {
  const base = { kind: 'collection', name: plan.name, tools } as const;
  try {
    const model = plan.embedder && (await models.embedder(plan.embedder).catch(() => undefined));
    // The check of the model has already reported its errors.
    if (plan.embedder !== undefined && model === undefined) return [];
    const problem = await new KnowledgeCollection(plan, stores).problem(model?.dimension);
    if (problem === undefined) return [];
    // Searches by words still work.
    const status = problem.type === 'other' ? 'missing' : 'warning';
    return [{ ...base, status, detail: toCell(problem.message) }];
  } catch (error) {
    return [{ ...base, status: 'missing', detail: toCell(messageOf(error)) }];
  }
}

/** Returns true when a store may be read: reading must not create a file, and contacts servers only when online. */
function canBeAsked(server: PlannedServer, pool: KnowledgePool, online: boolean): boolean {
  if (server.driver === 'sqlite') return existsSync(pool.place(server));
  return server.driver !== 'memory' && online;
}

async function checkStore(server: PlannedServer, pool: KnowledgePool, online: boolean): Promise<string> {
  const where = `${server.driver}, ${pool.place(server)}`;
  if (server.driver === 'memory') return server.driver;
  const isAsked = canBeAsked(server, pool, online);
  if (server.driver === 'sqlite' && !isAsked) return `${where}, created when something is stored`;
  // Loads the driver's package, without connecting.
  const store = await pool.store(server);
  if (!isAsked) return `${where}, not contacted; try pegboard doctor --online`;
  await store.collections();
  return `${where}, answers`;
}

/** Runs a check with a time limit: a server that accepts the connection but never answers must not block the others. */
async function judge(check: () => Promise<string>, stop: AbortSignal): Promise<Pick<Check, 'status' | 'detail'>> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new Error(`no answer in ${TIMEOUT / 1000} s`));
  stop.addEventListener('abort', end, { once: true });
  try {
    return { status: 'ok', detail: await Promise.race([check(), stopped]) };
  } catch (error) {
    return { status: 'missing', detail: toCell(messageOf(error)) };
  } finally {
    stop.removeEventListener('abort', end);
  }
}
