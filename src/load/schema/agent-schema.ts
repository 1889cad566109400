import { z } from 'zod';

const names = z.union([z.string().min(1), z.array(z.string().min(1))]);

const selector = z.strictObject({
  name: names.describe('Names, * standing for any characters').optional(),
  tag: names.optional(),
  category: names.optional(),
  risk: names.optional(),
  source: names.describe('The file, server or command line a tool comes from').optional(),
});

const count = z.int().min(1);
const price = z.number().min(0);

const agent = z.strictObject({
  description: z.string().min(1).describe('What it is for; other agents read it').optional(),
  provider: z
    .string()
    .min(1)
    .describe(
      'Who runs the model: openai, anthropic, openai-compatible, ollama, lmstudio, vllm, or one that a plugin brings. Default: by the keys in the environment',
    )
    .optional(),
  model: z.string().min(1).describe("The model's name, as its provider knows it").optional(),
  base_url: z.string().min(1).describe("Another address than the provider's own").optional(),
  api_key: z
    .string()
    .min(1)
    .describe("The key. Default: the provider's own variable, such as OPENAI_API_KEY")
    .optional(),
  api: z
    .enum(['responses', 'chat'])
    .describe("Which of OpenAI's APIs. Default: responses at its own address, chat at others")
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  system: z.string().describe('What the model is told first').optional(),
  system_file: z.string().min(1).describe('A file with what the model is told first').optional(),
  tools: z
    .array(z.union([z.string().min(1), selector]))
    .describe('Tools by name, * standing for any characters, or by tag, category, risk or source. Default: all')
    .optional(),
  agents: z.array(z.string().min(1)).describe('Agents of this board that it may hand tasks to').optional(),
  discovery: z
    .enum(['auto', 'always', 'never'])
    .describe('Whether tools are searched for rather than all shown; auto searches when there are many')
    .optional(),
  code: z
    .boolean()
    .describe('Whether the model writes programs that call the tools, in place of calling them one by one')
    .optional(),
  search_above: z.int().min(0).describe('How many tools are shown without search. Default: 40').optional(),
  pinned: z.array(z.string().min(1)).describe('Tools that are shown from the start').optional(),
  tool_choice: z
    .union([z.enum(['auto', 'required', 'none']), z.strictObject({ tool: z.string().min(1) })])
    .describe('What the model must call in its first step')
    .optional(),
  max_steps: count.describe('Model calls in one run. Default: 20').optional(),
  max_calls_per_step: count.describe('Tool calls in one step. Default: 64').optional(),
  concurrency: count.describe('Tool calls that run at once. Default: 16').optional(),
  model_retries: z.int().min(0).describe('Further attempts when the provider fails. Default: 2').optional(),
  history_tokens: z.int().min(1000).describe('Tokens of history before it is summed up. Default: 100,000').optional(),
  temperature: z.number().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: count.optional(),
  max_output_tokens: count.optional(),
  seed: z.int().optional(),
  stop: z.array(z.string().min(1)).describe('Texts that end an answer').optional(),
  provider_options: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .describe('Options only one provider knows')
    .optional(),
  output: z.record(z.string(), z.unknown()).describe('JSON Schema of the answer, for programs').optional(),
  approval: z
    .enum(['none', 'destructive', 'write', 'all'])
    .describe('The least risk for which a person is asked before a call')
    .optional(),
  reuse_reads: z
    .boolean()
    .describe('Whether identical calls of read-only tools are answered from the first')
    .optional(),
  prices: z
    .strictObject({ input: price, output: price, cached_input: price.optional(), cache_write: price.optional() })
    .describe('What a million tokens cost')
    .optional(),
});

/** The `agents` section of a board file. */
export const agentSection = z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), agent);
