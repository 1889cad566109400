import { z } from 'zod';
import { duration } from '../../kinds/common-schema.ts';
import { rightRule } from './policy-schema.ts';

const tokenHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .describe('The hash that "pegboard serve --new-token" prints with a token');

/** The `serve` section: settings for serving the board to MCP clients. */
export const serveSection = z.strictObject({
  name: z.string().min(1).describe('The name of the server in clients').optional(),
  instructions: z.string().describe('Instructions for models about the board as a whole').optional(),
  mode: z
    .enum(['classic', 'discovery', 'code', 'auto'])
    .describe(
      'Lists every tool, only those that find others, only search_tools and run_code, or the list that fits the token budget',
    )
    .optional(),
  token_budget: z.int().min(0).describe('Tokens of definitions above which auto lists only a few tools').optional(),
  compat: z.literal('climax').describe('Names the meta-tools as CLImax does').optional(),
  describe_tools: z
    .boolean()
    .describe('Offer the prompt board_tools and the resources pegboard://tools/*. Default: true')
    .optional(),
  first_list: duration
    .describe(
      'Time for which the first list of tools waits for servers that have not answered yet; 0 does not wait. Default: 3s',
    )
    .optional(),
  http: z
    .boolean()
    .describe('Serves over HTTP instead of stdio; --stdio on the command line takes precedence')
    .optional(),
  idle: duration
    .describe(
      'Time without a client after which the board of a machine ends; the next client starts it again. Default: 10m',
    )
    .optional(),
  standalone: z
    .boolean()
    .describe('Opens a board of its own for each client over stdio, instead of one for the machine. Default: false')
    .optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  path: z.string().startsWith('/').optional(),
  token: z
    .string()
    .min(16)
    .describe('A token that clients must send; use a variable: ${PEGBOARD_TOKEN}. Default: a generated one')
    .optional(),
  tokens: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('The holder of the token'),
        hash: tokenHash,
        allow: z
          .array(rightRule)
          .describe(
            'The tools, prompts and resources that it may use; a source alone means everything from it. Default: all',
          )
          .optional(),
        calls: z.enum(['own', 'all']).describe('The calls it can see at /calls. Default: own').optional(),
      }),
    )
    .optional(),
  oauth: z
    .strictObject({
      issuer: z.url().describe('The authorization server'),
      jwks_url: z.url().describe('The address of its keys. Default: from its metadata').optional(),
      audience: z.string().min(1).describe('The audience of tokens for this server'),
      required_scopes: z.array(z.string().min(1)).optional(),
      scopes: z
        .record(z.string(), z.array(rightRule))
        .describe('The tools, prompts and resources that each scope allows. Default: all')
        .optional(),
      calls_scope: z
        .string()
        .min(1)
        .describe('The scope that lets a token see all calls at /calls. Default: none')
        .optional(),
    })
    .optional(),
  publish: z
    .strictObject({
      name: z
        .string()
        .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
        .max(200)
        .describe(
          'In the registry: a namespace that is yours and a name, such as io.github.ada/desk or com.example/desk',
        ),
      title: z.string().min(1).max(100).optional(),
      description: z.string().min(1).max(100).describe("Default: the file's own description").optional(),
      version: z
        .string()
        .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/)
        .describe('Of the board, such as 1.0.2. Clients see it too. Default: 0.1.0')
        .optional(),
      url: z
        .url({ protocol: /^https?$/ })
        .describe('The address for clients, such as https://desk.example.com/mcp')
        .optional(),
      package: z
        .string()
        .regex(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/)
        .describe('The npm package of the board, for clients that start it')
        .optional(),
      bundle: z
        .url({ protocol: /^https$/ })
        .describe('The download address of the .mcpb file: a release at GitHub or GitLab')
        .optional(),
      website: z.url({ protocol: /^https?$/ }).optional(),
      repository: z
        .url({ protocol: /^https?$/ })
        .describe('The address of its source code')
        .optional(),
      icon: z
        .string()
        .regex(/^(https|data):/)
        .optional(),
    })
    .describe('Public facts about the server, for its card under /.well-known and for pegboard publish')
    .optional(),
  approvals: z
    .array(z.enum(['client', 'inspector', 'terminal']))
    .describe(
      'The channels for approvals; the first answer counts, and [] asks no one. Default: the inspector with --inspect, otherwise the client',
    )
    .optional(),
  metrics_open: z.boolean().describe('Lets every client read /metrics, without a token').optional(),
  public_url: z
    .url({ protocol: /^https?$/ })
    .describe(
      'The address for browsers, such as https://board.example.com: users log in to other servers on pages below it. Default: its own address on this machine',
    )
    .optional(),
  trusted_proxies: z
    .array(z.string().min(1))
    .describe('Addresses or networks of proxies whose X-Forwarded-For is trusted')
    .optional(),
  allowed_hosts: z.array(z.string().min(1)).describe('Host names under which clients reach the server').optional(),
  allowed_origins: z.array(z.string().min(1)).describe('Web pages that may call it, as https://example.com').optional(),
  limits: z
    .strictObject({
      rate: z.number().positive().describe('Requests per second from one client').optional(),
      burst: z.number().min(1).optional(),
      concurrency: z.int().min(1).describe('Concurrent requests of one client').optional(),
      wrong_tokens: z.int().min(1).describe('Wrong tokens from one address per minute').optional(),
      max_body: z.int().min(1024).describe('Maximum bytes of one message').optional(),
      max_header: z.int().min(1024).optional(),
      request_timeout: duration.optional(),
      idle_timeout: duration.optional(),
      max_sessions: z.int().min(1).optional(),
      session_ttl: duration.optional(),
      grace: duration.describe('Time for running calls to end when the server stops').optional(),
      drain: duration
        .describe('Time for which a stopping server still accepts requests, while /ready returns 503. Default: 0')
        .optional(),
    })
    .optional(),
  tasks: z
    .strictObject({
      after: duration.describe('Time after which a call becomes a task').optional(),
      clients: z
        .array(z.string().min(1))
        .describe('Clients that fetch tasks, by the name they give; * for all. Default: those that have fetched one')
        .optional(),
      always: z.array(z.string()).describe('Tools whose calls are tasks from the start').optional(),
      only: z.array(z.string()).describe('Tools that only run as tasks').optional(),
      ttl: duration.describe('Time to keep a task').optional(),
    })
    .optional(),
});
