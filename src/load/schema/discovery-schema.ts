import { z } from 'zod';

/** The embedder under `discovery.embedder`. */
const embedderSection = z
  .strictObject({
    platform: z
      .string()
      .min(1)
      .describe('local, openai, voyage, ollama, lmstudio, vllm, or any name beside a url. Default: openai')
      .optional(),
    model: z.string().min(1).optional(),
    url: z.string().min(1).describe('Where an OpenAI-compatible API is, up to and with /v1').optional(),
    api_key: z.string().describe('Write it as ${NAME}, so that it is not in the file').optional(),
    dimensions: z.int().min(1).describe('The dimensions of a vector, for models that support fewer').optional(),
    query_prefix: z.string().describe('What stands before every question').optional(),
    document_prefix: z.string().describe('What stands before every document').optional(),
    batch_size: z.int().min(1).describe('Texts in one request. Default: 96').optional(),
    concurrency: z.int().min(1).describe('Requests at once. Default: 4').optional(),
    requests_per_minute: z.int().min(1).optional(),
  })
  .describe('Lets searches look at meanings besides words');

const learnSetting = z.boolean().describe('Remembers which query led to which successful call');

export const discoverySection = z
  .strictObject({
    tools: z
      .union([z.boolean(), z.literal('climax'), z.literal('code')])
      .describe(
        'Puts search_tools, call_tool and describe_tool on the board; climax puts climax_search and climax_call there, code search_tools and run_code',
      )
      .optional(),
    pinned: z.array(z.string().min(1)).describe('Tools that stay listed where others must be searched for').optional(),
    embedder: embedderSection.optional(),
    learn: learnSetting.optional(),
    doubt_below: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'Below which certainty a search says that no tool clearly fits; pegboard eval names one for your board. Default: 0.2, with an embedder 0.28',
      )
      .optional(),
  })
  .describe('How agents find tools');
