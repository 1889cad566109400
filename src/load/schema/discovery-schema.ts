import { z } from 'zod';

/** The embedder under `discovery.embedder`. */
const embedderSection = z
  .strictObject({
    platform: z
      .string()
      .min(1)
      .describe('local, openai, voyage, ollama, lmstudio, vllm, or any name with a url. Default: openai')
      .optional(),
    model: z.string().min(1).optional(),
    url: z.string().min(1).describe('The address of an OpenAI-compatible API, including /v1').optional(),
    api_key: z.string().describe('Use ${NAME}, so that the key is not in the file').optional(),
    dimensions: z.int().min(1).describe('The dimensions of a vector, for models that support fewer').optional(),
    query_prefix: z.string().describe('The prefix of every query').optional(),
    document_prefix: z.string().describe('The prefix of every document').optional(),
    batch_size: z.int().min(1).describe('Texts per request. Default: 96').optional(),
    concurrency: z.int().min(1).describe('Concurrent requests. Default: 4').optional(),
    requests_per_minute: z.int().min(1).optional(),
  })
  .describe('Lets searches compare meanings as well as words');

const learnSetting = z.boolean().describe('Remembers which query led to which successful call');

export const discoverySection = z
  .strictObject({
    tools: z
      .union([z.boolean(), z.literal('climax'), z.literal('code')])
      .describe(
        'Puts search_tools, call_tool and describe_tool on the board; climax puts climax_search and climax_call there, code search_tools and run_code',
      )
      .optional(),
    pinned: z.array(z.string().min(1)).describe('Tools that stay listed when others must be searched for').optional(),
    embedder: embedderSection.optional(),
    learn: learnSetting.optional(),
    doubt_below: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'The certainty below which a search reports that no tool clearly fits; pegboard eval suggests one for your board. Default: 0.2, with an embedder 0.28',
      )
      .optional(),
  })
  .describe('Settings for finding tools');
