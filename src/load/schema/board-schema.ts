import { z } from 'zod';
import { duration, environment, size } from '../../kinds/common-schema.ts';
import { httpSection } from '../../kinds/http/schema.ts';
import { lockMode, mcpServer } from '../../kinds/mcp/schema.ts';
import { ragSection } from '../../kinds/rag/schema.ts';
import { agentSection } from './agent-schema.ts';
import { discoverySection } from './discovery-schema.ts';
import { promptsSection, resourcesSection } from './offers-schema.ts';
import { policySection } from './policy-schema.ts';
import { serveSection } from './serve-schema.ts';

const recordLevel = z
  .enum(['off', 'summary', 'full'])
  .describe('Nothing; names, caller, times, sizes and outcome; or arguments and results too');

const skillFolder = z.union([
  z.string().min(1).describe('A folder with skills, or of one skill, relative to this file'),
  z.strictObject({
    path: z.string().min(1),
    scripts: z.boolean().describe('Whether scripts in scripts/ of each skill are tools. Default: false').optional(),
  }),
]);

const cache = duration
  .describe('How long its value is used again when the files are read again. Default: 5m')
  .optional();

/** A variable whose value comes from a secret source. */
const secretVariable = z.strictObject({
  secret: z
    .union([
      z.strictObject({ file: z.string().min(1).describe('A file, relative to this one') }),
      z.strictObject({ env: z.string().min(1).describe('A variable of the environment, a secret whatever its name') }),
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
    .describe('Where the value is read from. It is never shown'),
});

/** A whole `pegboard.yaml`. Each kind defines the schema of its entries under `tools`. */
export const boardFile = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1).describe('What the board, or this part of it, is called').optional(),
  description: z.string().optional(),
  category: z.string().min(1).describe('The category of tools that have none of their own').optional(),
  tags: z.array(z.string().min(1)).describe('Tags that every tool of this file gets').optional(),
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
    .describe('Plugins that bring kinds of tools, stores, embedders, exporters or model providers: files or packages')
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
    .describe('Values (keys of objects and items of lists) in the arguments of one call. Default: 10,000')
    .optional(),
  max_model_output: z
    .int()
    .min(500)
    .describe('Characters of a result that a model gets, the rest kept for output_read. Default: 25,000')
    .optional(),
  rag: ragSection.optional(),
  policy: policySection.optional(),
  data: z
    .string()
    .min(1)
    .describe(
      'The folder for what the board keeps: knowledge, tasks, sessions. Default: a folder of the board among the states of its user',
    )
    .optional(),
  working_dir: z
    .string()
    .min(1)
    .describe(
      'The folder in which commands and servers run that name no other, relative to this file. ${PEGBOARD_CWD} is the one that pegboard was started in. Default: the folder of this file',
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
        keep: z.number().min(0).describe('Days that records are kept. Default: 30').optional(),
        max_lines: z
          .int()
          .min(1)
          .describe('Lines that are kept at most, the oldest going first. Default: 10,000,000')
          .optional(),
        max_size: size
          .describe('About how much of the disk lines may take: bytes, or a text such as 500MB. Default: 10GB')
          .optional(),
        tools: z.record(z.string(), recordLevel).describe('Levels of single tools, by name').optional(),
      }),
    ])
    .describe('What is recorded of each call. Default: summary')
    .optional(),
  audit: z
    .union([
      z.boolean(),
      z.strictObject({
        sink: z
          .string()
          .min(1)
          .describe('Where sealed lines go too: a file, stderr, or the /v1/logs of an OpenTelemetry collector')
          .optional(),
        headers: z.record(z.string(), z.string()).describe('Headers for the collector').optional(),
        strict: z
          .array(z.string().min(1))
          .describe('Tools, or levels of risk with those above them, whose calls are on disk before they run')
          .optional(),
      }),
    ])
    .describe('Seals the record, so that pegboard audit verify finds what was changed or removed. Default: false')
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
          'Hosts that requests of http tools tell the trace to (traceparent); * stands for anything. Default: none',
        )
        .optional(),
    })
    .describe('Spans of every call, for OpenTelemetry')
    .optional(),
  processes: z
    .strictObject({
      concurrency: z.int().min(1).describe('Commands at once. Default: the number of cores, at least 8').optional(),
      queue: z.int().min(0).describe('Calls that may wait for a place. Default: 1000').optional(),
    })
    .describe('How many commands of the board run at once')
    .optional(),
  discovery: discoverySection.optional(),
  serve: serveSection.describe('How the board is offered to MCP clients').optional(),
  agents: agentSection.describe('Agents that use the tools of this board').optional(),
});
