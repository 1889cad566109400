import type { Exporter } from '../../export/exporter.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { KnowledgeDrivers } from '../../knowledge/plan/knowledge-plan.ts';
import type { OpenVectorStore } from '../../knowledge/vector-store.ts';
import type { ModelProvider } from '../../tool/model-provider.ts';
import { CONFIG_KEYS } from '../config-keys.generated.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { type Feature, isFeature } from '../features/feature.ts';
import type { MakeEmbedder } from '../../vectors/embedder-config.ts';

/** The contributions of a package to boards. */
export interface PluginDefinition {
  /** For messages. Default: the name it is loaded by. */
  readonly name?: string;
  /** Kinds of tools, created with `defineKind`. */
  readonly kinds?: readonly Kind[];
  /** Features of boards, created with `defineFeature`. */
  readonly features?: readonly Feature[];
  /** Stores for knowledge, by the `driver` in `rag.servers`. */
  readonly stores?: Readonly<Record<string, OpenVectorStore>>;
  /** Embedders, by the `platform` in `rag.vectorizer` and `discovery.embedder`. */
  readonly embedders?: Readonly<Record<string, MakeEmbedder>>;
  /** Export formats for tools, created with `defineExporter`. */
  readonly exporters?: readonly Exporter[];
  /** Models for agents, by the `provider` in `agents`. */
  readonly providers?: Readonly<Record<string, ModelProvider>>;
}

/** A plugin, created with `definePlugin`. */
export interface Plugin extends PluginDefinition {
  readonly [PLUGIN]: true;
}

const PARTS: Readonly<Record<keyof PluginDefinition, true>> = {
  name: true,
  kinds: true,
  features: true,
  stores: true,
  embedders: true,
  exporters: true,
  providers: true,
};

/** The same symbol in every copy of this package. */
const PLUGIN: unique symbol = Symbol.for('pegboard.plugin') as never;

/**
 * Defines a plugin: kinds of tools and more, for `openBoard({ plugins })` and for `plugins:` in a board file.
 *
 * @example
 * ```ts
 * const greet = defineKind({
 *   type: 'greet',
 *   schema: z.object({ greeting: z.string() }),
 *   tools: ({ metadata, settings }) => [
 *     defineTool({ ...metadata, schema: z.object({ name: z.string() }), execute: ({ name }) => `${settings.greeting} ${name}` }),
 *   ],
 *   pathArguments: () => ({ names: [], folders: () => [] }),
 * });
 * export default definePlugin({ name: 'pegboard-greet', kinds: [greet] });
 * ```
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  const stranger = Object.keys(definition).find((key) => !Object.hasOwn(PARTS, key));
  if (stranger !== undefined) {
    throw misuse(`A plugin has no "${stranger}". Use: ${Object.keys(PARTS).join(', ')}.`);
  }
  const { kinds = [] } = definition;
  if (!Array.isArray(kinds)) throw misuse('kinds must be a list. Write kinds: [kind].');
  // Untyped code may pass anything.
  const odd = kinds.findIndex((kind: Partial<Kind> | undefined) => typeof kind?.validate !== 'function');
  if (odd >= 0) throw misuse(`kinds[${odd}] is not a kind. Create it with defineKind({ … }).`);
  const { features = [] } = definition;
  if (!Array.isArray(features)) throw misuse('features must be a list. Write features: [feature].');
  const stray = features.findIndex((feature) => !isFeature(feature));
  if (stray >= 0) throw misuse(`features[${stray}] is not a feature. Create it with defineFeature({ … }).`);
  return { ...definition, [PLUGIN]: true };
}

function misuse(message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message });
}

/** Returns true for a value that `definePlugin` created, in this or another copy of the package. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && PLUGIN in value;
}

/** Adds the kinds of plugins. Returns the first duplicate type, if any. */
export function addKinds(kinds: Map<string, Kind>, plugins: readonly Plugin[]): string | undefined {
  for (const kind of plugins.flatMap((plugin) => plugin.kinds ?? [])) {
    const known = kinds.get(kind.type);
    if (known !== undefined && known !== kind) return kind.type;
    kinds.set(kind.type, kind);
  }
  return undefined;
}

/** Adds the features of plugins. Returns the reason for the first one that cannot be added. */
export function addFeatures(features: Feature[], plugins: readonly Plugin[]): string | undefined {
  for (const feature of plugins.flatMap((plugin) => plugin.features ?? [])) {
    if (features.includes(feature)) continue;
    if (features.some(({ name }) => name === feature.name)) return `there is a feature "${feature.name}" already`;
    const keys = new Set([...CONFIG_KEYS.board, ...features.flatMap(({ sections }) => Object.keys(sections))]);
    const taken = Object.keys(feature.sections).find((key) => keys.has(key));
    if (taken !== undefined) return `its feature "${feature.name}" has a section "${taken}", and there is one already`;
    features.push(feature);
  }
  return undefined;
}

/** Collects the stores and embedders of all plugins; the last of a name wins. */
export function knowledgeDrivers(plugins: readonly PluginDefinition[]): KnowledgeDrivers {
  return {
    stores: Object.assign({}, ...plugins.map(({ stores }) => stores)),
    embedders: Object.assign({}, ...plugins.map(({ embedders }) => embedders)),
  };
}
