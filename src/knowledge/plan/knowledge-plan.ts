import type { EmbedderConfig, MakeEmbedder } from '../../vectors/embedder-config.ts';
import type { RerankerConfig } from '../../vectors/rerank/reranker-config.ts';
import type { ChunkSettings } from '../chunking/chunk.ts';
import type { PlannedSource } from '../sources/planned-source.ts';
import type { Distance, OpenVectorStore, StoreSettings } from '../vector-store.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';

/** A store as the settings describe it. */
export interface PlannedServer extends Omit<StoreSettings, 'data' | 'base'> {
  /** The name of its driver: one of `DRIVERS`, or of a plugin. */
  readonly driver: string;
  /** Opens it, where the driver is of a plugin. */
  readonly open?: OpenVectorStore | undefined;
}

/** An embedder as the settings describe it. */
export interface PlannedEmbedder extends EmbedderConfig {
  /** Makes it, where the platform is of a plugin. */
  readonly make?: MakeEmbedder | undefined;
}

/** Stores and embedders that plugins bring, by driver and by platform. */
export interface KnowledgeDrivers {
  readonly stores: Readonly<Record<string, OpenVectorStore>>;
  readonly embedders: Readonly<Record<string, MakeEmbedder>>;
}

/** A collection with everything that holds for it. */
export interface PlannedCollection {
  readonly name: string;
  /** Its name in the store. */
  readonly storedAs: string;
  readonly description: string | undefined;
  readonly server: PlannedServer;
  /** `undefined`: words alone. */
  readonly embedder: PlannedEmbedder | undefined;
  /** What the embedder must give, where the settings say so. */
  readonly dimension: number | undefined;
  readonly distance: Distance;
  readonly chunks: ChunkSettings;
  /** What puts results into another order; `undefined`: nothing. */
  readonly reranker?: RerankerConfig | undefined;
  /** Pages and repositories that are indexed besides files. */
  readonly sources: readonly PlannedSource[];
}

/** The stores that can be named. */
export const DRIVERS = ['sqlite', 'memory', 'postgres', 'qdrant'] as const;

/** The name of a kind of store. */
export type Driver = (typeof DRIVERS)[number];

/** Something wrong in the settings; the path is below them. */
export interface SettingsFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** `undefined` for a `${VARIABLE}` that is not set: a ctx file keeps it as it is written, and it is no key. */
export function dropUnsetVariable(value: string | undefined): string | undefined {
  return value === undefined || value === '' || /^\$\{[^}]*\}$/.test(value) ? undefined : value;
}

/** `unknown server "x". Did you mean "y"? Use one of: …` */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const names = known.length === 0 ? 'There is none: add it under rag.' : `Use one of: ${known.join(', ')}.`;
  return `unknown ${what} "${name.slice(0, 80)}".${hint} ${names}`;
}
