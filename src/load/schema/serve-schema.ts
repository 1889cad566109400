import { z } from 'zod';
import { duration } from '../../kinds/common-schema.ts';
import { rightRule } from './policy-schema.ts';

const tokenHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .describe('What "pegboard serve --new-token" prints beside a token');

/** The `serve` section: settings for serving the board to MCP clients. */
export const serveSection = z.strictObject({
  name: z.string().min(1).describe('What clients show as the name of the server').optional(),
  instructions: z.string().describe('What a model should know about the board as a whole').optional(),
  mode: z
    .enum(['classic', 'discovery', 'code', 'auto'])
    .describe(
      'Lists every tool, only those that find others, only search_tools and run_code, or the list that fits the token budget',
    )
    .optional(),
  tokenBudget: z.int().min(0).describe('Tokens of definitions above which auto lists only a few').optional(),
  compat: z.literal('climax').describe('Names the meta-tools as CLImax does').optional(),
  describeTools: z
    .boolean()
    .describe('Offer the prompt board_tools and the resources pegboard://tools/*. Default: true')
    .optional(),
  firstList: duration
    .describe(
      'How long the first list of tools waits for servers that have not answered yet; 0 does not wait. Default: 3s',
    )
    .optional(),
  http: z.boolean().describe('Serve over HTTP instead of stdio; --stdio on the command line goes first').optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  path: z.string().startsWith('/').optional(),
  token: z
    .string()
    .min(16)
    .describe('A token that clients must show; from a variable: ${PEGBOARD_TOKEN}. Default: one that is made and kept')
    .optional(),
  tokens: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('Who it was given to'),
        hash: tokenHash,
        allow: z
          .array(rightRule)
          .describe(
            'The tools, prompts and resources that it may use; a source alone stands for all of it. Default: all',
          )
          .optional(),
        calls: z.enum(['own', 'all']).describe('Whose calls it sees at /calls. Default: own').optional(),
      }),
    )
    .optional(),
  oauth: z
    .strictObject({
      issuer: z.url().describe('The authorization server'),
      jwksUrl: z.url().describe('Its keys. Default: found through its metadata').optional(),
      audience: z.string().min(1).describe('What tokens for this server are made out to'),
      requiredScopes: z.array(z.string().min(1)).optional(),
      scopes: z
        .record(z.string(), z.array(rightRule))
        .describe('The tools, prompts and resources that each scope allows. Default: all')
        .optional(),
      callsScope: z
        .string()
        .min(1)
        .describe('The scope with which a token sees the calls of all at /calls. Default: none')
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
        .describe('Where clients reach it, such as https://desk.example.com/mcp')
        .optional(),
      package: z
        .string()
        .regex(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/)
        .describe('The package on npm that holds the board, for clients that start it')
        .optional(),
      bundle: z
        .url({ protocol: /^https$/ })
        .describe('Where the .mcpb file can be downloaded: a release at GitHub or GitLab')
        .optional(),
      website: z.url({ protocol: /^https?$/ }).optional(),
      repository: z
        .url({ protocol: /^https?$/ })
        .describe('Where its source is')
        .optional(),
      icon: z
        .string()
        .regex(/^(https|data):/)
        .optional(),
    })
    .describe('What everyone may know of the server: its card under /.well-known, and pegboard publish')
    .optional(),
  approvals: z
    .array(z.enum(['client', 'inspector', 'terminal']))
    .describe(
      'Who may answer where the policy wants a yes; the first answer counts, and [] asks no one. Default: the inspector with --inspect, otherwise the client',
    )
    .optional(),
  metricsOpen: z.boolean().describe('Lets every client read /metrics, without a token').optional(),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .describe(
      'Where browsers reach the server, as https://board.example.com: users log in at other servers on pages below it. Default: its own address on this machine',
    )
    .optional(),
  trustedProxies: z
    .array(z.string().min(1))
    .describe('Addresses or networks of proxies that say whom they ask for (X-Forwarded-For)')
    .optional(),
  allowedHosts: z.array(z.string().min(1)).describe('Names under which clients reach the server').optional(),
  allowedOrigins: z.array(z.string().min(1)).describe('Web pages that may call it, as https://example.com').optional(),
  limits: z
    .strictObject({
      rate: z.number().positive().describe('Requests each second from one client').optional(),
      burst: z.number().min(1).optional(),
      concurrency: z.int().min(1).describe('Requests of one client at the same time').optional(),
      wrongTokens: z.int().min(1).describe('Wrong tokens from one address each minute').optional(),
      maxBody: z.int().min(1024).describe('Bytes of one message').optional(),
      maxHeader: z.int().min(1024).optional(),
      requestTimeout: duration.optional(),
      idleTimeout: duration.optional(),
      maxSessions: z.int().min(1).optional(),
      sessionTtl: duration.optional(),
      grace: duration.describe('How long calls may go on when the server stops').optional(),
      drain: duration
        .describe('How long a server that is told to stop still takes requests, while /ready says no. Default: 0')
        .optional(),
    })
    .optional(),
  tasks: z
    .strictObject({
      after: duration.describe('After how long a call becomes a task').optional(),
      clients: z
        .array(z.string().min(1))
        .describe('Clients that fetch tasks, by the name they give; * for all. Default: those that have fetched one')
        .optional(),
      always: z.array(z.string()).describe('Tools whose calls are tasks from the start').optional(),
      only: z.array(z.string()).describe('Tools that only run as tasks').optional(),
      ttl: duration.describe('How long a task is kept').optional(),
    })
    .optional(),
});
