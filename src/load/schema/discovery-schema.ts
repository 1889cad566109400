import { z } from 'zod';
import { embedderSection, learnSetting } from './embedder-schema.ts';

/** How agents find tools. */
export const discoverySection = z
  .strictObject({
    tools: z
      .union([z.boolean(), z.literal('climax')])
      .describe(
        'Puts search_tools, call_tool and describe_tool on the board; climax puts climax_search and climax_call there',
      )
      .optional(),
    pinned: z.array(z.string().min(1)).describe('Tools that stay listed where others must be searched for').optional(),
    embedder: embedderSection.optional(),
    learn: learnSetting.optional(),
  })
  .describe('How agents find tools');
