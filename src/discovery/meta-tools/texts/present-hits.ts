import { riskFields } from '../../../tool/tool-metadata.ts';
import { wordsForModel } from '../../../tool/server-words.ts';
import type { Tool } from '../../../tool/tool.ts';
import { describeBriefly, describeFully, type HitDetail, type SchemaForm } from './describe-hit.ts';
import { writeSignature } from './write-signature.ts';

/** Tokens of the description beside a code declaration: for the first hit, and for the others. */
const FIRST_TOKENS = 25;
const OTHER_TOKENS = 7;

/** The presentation of found tools. */
export interface Presentation {
  readonly detail: HitDetail;
  readonly schema: SchemaForm;
  /** Writes a code declaration that replaces the signature. */
  readonly declare?: DeclareTool | undefined;
}

/** Writes the code declaration of a tool: `brief` leaves out deep types, `names` everything but the name. */
export type DeclareTool = (tool: Tool, detail: HitDetail) => string;

export interface FoundTool {
  readonly tool: Tool;
  readonly source: string;
  readonly score?: number;
  /** The query, or the part of it, that it fits best. */
  readonly serves?: string;
  /** Tools of other sources that do the same. */
  readonly duplicates?: readonly string[];
}

/** Writes found tools as text for a model. */
export function writeHits(found: readonly FoundTool[], { detail, schema, declare }: Presentation): string {
  switch (detail) {
    case 'names':
      return found.map(({ tool }) => tool.metadata.name).join(', ');
    case 'brief':
      // The types of less likely hits would be most of the answer.
      return found
        .map(({ tool, duplicates, serves }, place) =>
          describeBriefly(tool, {
            duplicates,
            wanted: serves,
            declared: declare && {
              text: declare(tool, place === 0 ? detail : 'names'),
              tokens: place === 0 ? FIRST_TOKENS : OTHER_TOKENS,
            },
          }),
        )
        .join('\n');
    case 'full':
      return found
        .map(({ tool }) => describeFully(tool, { form: schema, declared: declare?.(tool, detail) }))
        .join('\n\n');
  }
}

/** Returns a found tool as data for programs, with its whole description and signature. */
export function toHitData(
  { tool, source, score, serves, duplicates }: FoundTool,
  declare?: DeclareTool,
): Record<string, unknown> {
  const { name, description, category } = wordsForModel(tool).metadata;
  return {
    name,
    signature: declare?.(tool, 'full') ?? writeSignature(tool),
    description,
    source,
    ...(category === undefined ? {} : { category }),
    ...riskFields(tool.metadata),
    ...(score === undefined ? {} : { score }),
    ...(serves === undefined ? {} : { serves }),
    ...(duplicates === undefined ? {} : { duplicates }),
  };
}
