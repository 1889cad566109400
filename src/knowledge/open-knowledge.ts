import { formatPath } from '../tool/texts/explain-issues.ts';
import { resolve } from 'node:path';
import type { Embedder } from '../vectors/embedder.ts';
import type { EmbedderConfig } from '../vectors/embedder-config.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { KnowledgeSettings } from './plan/knowledge-settings.ts';
import { Knowledge } from './knowledge.ts';
import { KnowledgePool } from './knowledge-pool.ts';
import { planKnowledge } from './plan/plan-knowledge.ts';

/** The platform name that stands for a caller's embedder. */
const OWN = 'own';

/** Options of `openKnowledge`: the `rag` section of a config file, and folders. */
export interface OpenKnowledgeOptions extends Omit<KnowledgeSettings, 'store'> {
  /** The folder for the embedded store and cached vectors. Default: both are in memory. */
  readonly data?: string;
  /** The folder that document names are relative to. Default: the current folder of this process. */
  readonly base?: string;
  /** A custom embedder instead of `vectorizer`; it is closed with the knowledge. */
  readonly embedder?: Embedder;
}

/**
 * Opens collections from code, without a config file. Connections are opened on first use.
 *
 * @example
 * const knowledge = openKnowledge({ data: '.pegboard', collections: { docs: {} } });
 * await knowledge.collection('docs').index(['docs']);
 */
export function openKnowledge(options: OpenKnowledgeOptions = {}): Knowledge {
  const { data, base = process.cwd(), embedder, ...settings } = options;
  const given = embedder === undefined ? settings : { ...settings, vectorizer: { platform: OWN, model: embedder.id } };
  const plan = planKnowledge(given, ['default'], { own: embedder });
  const { faults } = plan;
  if (faults.length > 0) {
    const message = faults.map((fault) => `openKnowledge: ${formatPath(fault.path)}: ${fault.message}`).join('\n');
    throw new ToolError({
      code: 'invalid_arguments',
      message,
      issues: faults.map((fault) => ({ path: fault.path, message: fault.message })),
    });
  }
  const pool = new KnowledgePool({
    data: data === undefined ? undefined : resolve(data),
    base: resolve(base),
    ...(embedder === undefined
      ? {}
      : { createEmbedder: ({ platform }: EmbedderConfig) => (platform === OWN ? embedder : undefined) }),
  });
  return new Knowledge(plan, pool);
}
