import type { EmbedderConfig, MakeEmbedder } from '../../vectors/embedder-config.ts';
import type { RerankerConfig } from '../../vectors/rerank/reranker-config.ts';
import type { ChunkSettings } from '../chunking/chunk.ts';
import type { PlannedSource } from '../sources/source.ts';
import type { Distance, OpenVectorStore, StoreSettings } from '../vector-store.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';

export interface PlannedServer extends Omit<StoreSettings, 'data' | 'base'> {
  /** The name of its driver: one of `DRIVERS`, or a plugin's. */
  readonly driver: string;
  /** Opens the store, for drivers of plugins. */
  readonly open?: OpenVectorStore | undefined;
}

export interface PlannedEmbedder extends EmbedderConfig {
  /** Creates the embedder, for platforms of plugins. */
  readonly make?: MakeEmbedder | undefined;
}

/** Stores and embedders of plugins, by driver and by platform. */
export interface KnowledgeDrivers {
  readonly stores: Readonly<Record<string, OpenVectorStore>>;
  readonly embedders: Readonly<Record<string, MakeEmbedder>>;
}

/** A collection with all settings that apply to it. */
export interface PlannedCollection {
  readonly name: string;
  /** Its name in the store. */
  readonly storedAs: string;
  readonly description: string | undefined;
  readonly server: PlannedServer;
  /** `undefined`: only words are searched. */
  readonly embedder: PlannedEmbedder | undefined;
  /** The required dimension of the embedder, if the settings have one. */
  readonly dimension: number | undefined;
  readonly distance: Distance;
  readonly chunks: ChunkSettings;
  /** Reorders results, if given. */
  readonly reranker?: RerankerConfig | undefined;
  /** Web pages and repositories to index in addition to files. */
  readonly sources: readonly PlannedSource[];
}

export const DRIVERS = ['sqlite', 'memory', 'postgres', 'qdrant'] as const;

export type Driver = (typeof DRIVERS)[number];

/** An error in the settings, with a path relative to them. */
export interface SettingsFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Returns `undefined` for a `${VARIABLE}` that is not set, which a ctx file keeps as written. */
export function dropUnsetVariable(value: string | undefined): string | undefined {
  return value === undefined || value === '' || /^\$\{[^}]*\}$/.test(value) ? undefined : value;
}

/** Writes `unknown server "x". Did you mean "y"? Use one of: …`. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const names = known.length === 0 ? 'There is none: add it under rag.' : `Use one of: ${known.join(', ')}.`;
  return `unknown ${what} "${name.slice(0, 80)}".${hint} ${names}`;
}
