import { z } from 'zod';

const names = z.union([z.string().min(1), z.array(z.string().min(1))]);

const selector = z.strictObject({
  name: names.describe('Names, with * as a wildcard').optional(),
  tag: names.optional(),
  category: names.optional(),
  risk: names.optional(),
  source: names.describe('The file, server or command line a tool comes from').optional(),
});

const count = z.int().min(1);
const price = z.number().min(0);

const agent = z.strictObject({
  description: z.string().min(1).describe('Describes its purpose for other agents').optional(),
  provider: z
    .string()
    .min(1)
    .describe(
      'The provider of the model: openai, anthropic, openai-compatible, ollama, lmstudio, vllm, or one of a plugin. Default: by the keys in the environment',
    )
    .optional(),
  model: z.string().min(1).describe("The model's name, as its provider knows it").optional(),
  base_url: z.string().min(1).describe("An address other than the provider's own").optional(),
  api_key: z
    .string()
    .min(1)
    .describe("The key. Default: the provider's own variable, such as OPENAI_API_KEY")
    .optional(),
  api: z
    .enum(['responses', 'chat'])
    .describe('The OpenAI API to use. Default: responses at its own address, chat at others')
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  system: z.string().describe('The system prompt').optional(),
  system_file: z.string().min(1).describe('A file with the system prompt').optional(),
  tools: z
    .array(z.union([z.string().min(1), selector]))
    .describe('Tools by name, with * as a wildcard, or by tag, category, risk or source. Default: all')
    .optional(),
  agents: z.array(z.string().min(1)).describe('Agents of this board that it may delegate tasks to').optional(),
  discovery: z
    .enum(['auto', 'always', 'never'])
    .describe('Lets the model search for tools instead of listing them all; auto does so when there are many')
    .optional(),
  code: z
    .boolean()
    .describe('Lets the model write programs that call the tools, instead of calling them one by one')
    .optional(),
  search_above: z.int().min(0).describe('Maximum number of tools to list without search. Default: 40').optional(),
  pinned: z.array(z.string().min(1)).describe('Tools that are listed from the start').optional(),
  tool_choice: z
    .union([z.enum(['auto', 'required', 'none']), z.strictObject({ tool: z.string().min(1) })])
    .describe('The tool call required in the first step')
    .optional(),
  max_steps: count.describe('Maximum number of model calls in one run. Default: 20').optional(),
  max_calls_per_step: count.describe('Maximum number of tool calls in one step. Default: 64').optional(),
  concurrency: count.describe('Maximum number of concurrent tool calls. Default: 16').optional(),
  model_retries: z.int().min(0).describe('Number of retries when the provider fails. Default: 2').optional(),
  history_tokens: z.int().min(1000).describe('Tokens of history before it is summarized. Default: 100,000').optional(),
  temperature: z.number().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: count.optional(),
  max_output_tokens: count.optional(),
  seed: z.int().optional(),
  stop: z.array(z.string().min(1)).describe('Texts that end an answer').optional(),
  provider_options: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .describe('Options of a single provider')
    .optional(),
  output: z.record(z.string(), z.unknown()).describe('JSON Schema of the answer, for programs').optional(),
  approval: z
    .enum(['none', 'destructive', 'write', 'all'])
    .describe('The lowest risk that requires approval by a person')
    .optional(),
  reuse_reads: z.boolean().describe('Answers identical calls of read-only tools with the first result').optional(),
  prices: z
    .strictObject({ input: price, output: price, cached_input: price.optional(), cache_write: price.optional() })
    .describe('Prices of a million tokens')
    .optional(),
});

/** The `agents` section of a board file. */
export const agentSection = z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), agent);
