import { riskFields } from '../../../tool/tool-metadata.ts';
import { wordsForModel } from '../../../tool/server-words.ts';
import type { Tool } from '../../../tool/tool.ts';
import { describeBriefly, describeFully, type HitDetail, type SchemaForm } from './describe-hit.ts';
import { writeSignature } from './write-signature.ts';

/** How found tools are shown. */
export interface Presentation {
  readonly detail: HitDetail;
  readonly schema: SchemaForm;
}

/** A tool that was found. */
export interface FoundTool {
  readonly tool: Tool;
  readonly source: string;
  readonly score?: number;
  /** The query, or the part of it, that it fits best. */
  readonly serves?: string;
  /** Tools of other sources that do the same. */
  readonly duplicates?: readonly string[];
}

/** Found tools as the text a model reads. */
export function writeHits(found: readonly FoundTool[], { detail, schema }: Presentation): string {
  switch (detail) {
    case 'names':
      return found.map(({ tool }) => tool.metadata.name).join(', ');
    case 'brief':
      return found.map(({ tool, duplicates }) => describeBriefly(tool, duplicates)).join('\n');
    case 'full':
      return found.map(({ tool }) => describeFully(tool, schema)).join('\n\n');
  }
}

/** A found tool for programs; its description is whole, its signature too. */
export function toHitData({ tool, source, score, serves, duplicates }: FoundTool): Record<string, unknown> {
  const { name, description, category } = wordsForModel(tool).metadata;
  return {
    name,
    signature: writeSignature(tool),
    description,
    source,
    ...(category === undefined ? {} : { category }),
    ...riskFields(tool.metadata),
    ...(score === undefined ? {} : { score }),
    ...(serves === undefined ? {} : { serves }),
    ...(duplicates === undefined ? {} : { duplicates }),
  };
}
