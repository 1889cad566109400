import { z } from 'zod';
import { duration, environment, size } from '../../kinds/common-schema.ts';
import { httpSection } from '../../kinds/http/schema.ts';
import { lockMode, mcpServer } from '../../kinds/mcp/schema.ts';
import { ragSection } from '../../kinds/rag/schema.ts';
import { agentSection } from './agent-schema.ts';
import { promptsSection, resourcesSection } from './offers-schema.ts';
import { policySection } from './policy-schema.ts';
import { serveSection } from './serve-schema.ts';

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

const discoverySection = z
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

const recordLevel = z
  .enum(['off', 'summary', 'full'])
  .describe('off: nothing; summary: names, caller, times, sizes and outcome; full: arguments and results too');

const skillFolder = z.union([
  z.string().min(1).describe('A folder with skills, or of one skill, relative to this file'),
  z.strictObject({
    path: z.string().min(1),
    scripts: z.boolean().describe('Adds the scripts in scripts/ of each skill as tools. Default: false').optional(),
  }),
]);

const cache = duration
  .describe('Time for which its value is reused when the files are read again. Default: 5m')
  .optional();

/** A variable whose value comes from a secret source. */
const secretVariable = z.strictObject({
  secret: z
    .union([
      z.strictObject({ file: z.string().min(1).describe('A file, relative to this one') }),
      z.strictObject({ env: z.string().min(1).describe('An environment variable that is secret under any name') }),
      z.strictObject({
        command: z.array(z.string()).min(1).describe('A program and its arguments that prints the secret; no shell'),
        cache,
      }),
      z.strictObject({
        keychain: z
          .strictObject({ service: z.string().min(1), account: z.string().min(1) })
          .describe("The user's keychain: that of macOS (security), or of libsecret (secret-tool)"),
        cache,
      }),
    ])
    .describe('The source of the value, which is never shown'),
});

/** A whole `pegboard.yaml`. Each kind defines the schema of its entries under `tools`. */
export const boardFile = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1).describe('The name of the board, or of this part of it').optional(),
  description: z.string().optional(),
  category: z.string().min(1).describe('The default category of tools').optional(),
  tags: z.array(z.string().min(1)).describe('Tags for every tool of this file').optional(),
  variables: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), secretVariable]))
    .describe('Values for ${NAME}')
    .optional(),
  env: environment.describe('Environment variables of every command in this file').optional(),
  import: z
    .union([z.string(), z.array(z.string())])
    .describe('Other files, globs or folders to load')
    .optional(),
  plugins: z
    .array(z.string().min(1))
    .describe('Plugins with kinds of tools, stores, embedders, exporters or model providers: files or packages')
    .optional(),
  tools: z.array(z.looseObject({})).optional(),
  http: httpSection.optional(),
  mcpServers: z.record(z.string(), mcpServer).describe('Other MCP servers whose tools are on the board').optional(),
  prompts: promptsSection.describe('Prompts of the board, for MCP clients').optional(),
  resources: resourcesSection.describe('Resources of the board, for MCP clients').optional(),
  skills: z
    .union([skillFolder, z.array(skillFolder)])
    .describe('Folders with skills: each a folder with a SKILL.md')
    .optional(),
  lock: lockMode.optional(),
  max_values: z
    .int()
    .min(1_000)
    .describe('Maximum number of values (object keys and list items) in the arguments of one call. Default: 10,000')
    .optional(),
  max_model_output: z
    .int()
    .min(500)
    .describe('Characters of a result for a model; output_read returns the rest. Default: 25,000')
    .optional(),
  rag: ragSection.optional(),
  policy: policySection.optional(),
  data: z
    .string()
    .min(1)
    .describe(
      'The folder for the data of the board: knowledge, tasks, sessions. Default: a folder in the state folder of the user',
    )
    .optional(),
  working_dir: z
    .string()
    .min(1)
    .describe(
      'The default folder for commands and servers, relative to this file. ${PEGBOARD_CWD} is the folder that pegboard was started in. Default: the folder of this file',
    )
    .optional(),
  store: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .describe(
      'A PostgreSQL database for boards on several machines, as postgres://…. Default: SQLite in the data folder',
    )
    .optional(),
  record: z
    .union([
      recordLevel,
      z.strictObject({
        level: recordLevel.optional(),
        keep: z.number().min(0).describe('Days to keep records. Default: 30').optional(),
        max_lines: z
          .int()
          .min(1)
          .describe('Maximum number of lines; the oldest are deleted first. Default: 10,000,000')
          .optional(),
        max_size: size
          .describe('Approximate disk space for lines: bytes, or a text such as 500MB. Default: 10GB')
          .optional(),
        tools: z.record(z.string(), recordLevel).describe('Levels of single tools, by name').optional(),
      }),
    ])
    .describe('The level of the record of calls. Default: summary')
    .optional(),
  audit: z
    .union([
      z.boolean(),
      z.strictObject({
        sink: z
          .string()
          .min(1)
          .describe(
            'A further destination of sealed lines: a file, stderr, or the /v1/logs of an OpenTelemetry collector',
          )
          .optional(),
        headers: z.record(z.string(), z.string()).describe('Headers for the collector').optional(),
        strict: z
          .array(z.string().min(1))
          .describe('Tools, or risk levels and those above, whose calls are recorded on disk before they run')
          .optional(),
      }),
    ])
    .describe('Seals the record, so that pegboard audit verify detects changed or removed lines. Default: false')
    .optional(),
  telemetry: z
    .strictObject({
      otlp: z
        .string()
        .regex(/^https?:\/\//)
        .describe('An OpenTelemetry collector that takes spans as OTLP/HTTP, such as http://127.0.0.1:4318')
        .optional(),
      headers: z.record(z.string(), z.string()).describe('Headers for the collector').optional(),
      service: z.string().min(1).describe('service.name of the spans. Default: pegboard').optional(),
      pass_on: z
        .array(z.string().min(1))
        .describe(
          'Hosts that receive the trace context (traceparent) in requests of http tools; * is a wildcard. Default: none',
        )
        .optional(),
    })
    .describe('Spans of every call, for OpenTelemetry')
    .optional(),
  processes: z
    .strictObject({
      concurrency: z
        .int()
        .min(1)
        .describe('Maximum number of running commands. Default: the number of cores, at least 8')
        .optional(),
      queue: z.int().min(0).describe('Maximum number of waiting calls. Default: 1000').optional(),
    })
    .describe('Limits for running commands')
    .optional(),
  discovery: discoverySection.optional(),
  serve: serveSection.describe('Settings for serving the board to MCP clients').optional(),
  agents: agentSection.describe('Agents that use the tools of this board').optional(),
});
