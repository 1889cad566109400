import { z } from 'zod';
import { duration, environment, paths, risk, shared } from '../common-schema.ts';

const names = z.array(z.string().min(1));
const picked = z.union([z.boolean(), names]);

/** A board's settings for one tool of a server. */
const toolOverride = z.strictObject({
  name: z.string().min(1).describe('Its name on the board, after the prefix').optional(),
  title: z.string().min(1).optional(),
  description: z.string().min(1).describe('Instead of what the server says').optional(),
  category: z.string().min(1).optional(),
  tags: names.describe('Besides those of the server').optional(),
  risk: risk.optional(),
  paths: paths.optional(),
  timeout: duration.optional(),
  max_output: shared.max_output,
  max_media: shared.max_media,
});

/** The reaction to a tool that differs from `pegboard.lock`. */
export const lockMode = z
  .enum(['deny', 'warn', 'approve'])
  .describe('A tool that differs from pegboard.lock: left off, reported, or asked about');

/** The OAuth settings of a server; all may be omitted if the authorization server registers clients. */
const oauth = z.strictObject({
  client_id: z.string().min(1).describe('A client that the authorization server knows').optional(),
  client_secret: z.string().min(1).describe('Its secret, from a variable').optional(),
  client_metadata_url: z
    .url({ protocol: /^https$/ })
    .describe('A document about the client, which is its id where that is supported')
    .optional(),
  private_key: z.string().min(1).describe('A key in PEM, for clients that sign (private_key_jwt)').optional(),
  algorithm: z.enum(['ES256', 'RS256']).describe('What the key signs with. Default: ES256').optional(),
  scope: z.string().min(1).describe('Asked for besides what the server names').optional(),
  grant: z
    .enum(['authorization_code', 'client_credentials', 'jwt_bearer', 'token_exchange'])
    .describe(
      'A person logs in, the client itself is given the token, it shows what another issuer says of it, or it exchanges the token that a user showed to the board (with auth: user). Default: authorization_code',
    )
    .optional(),
  assertion: z
    .string()
    .min(1)
    .describe('For jwt_bearer: what another issuer says, such as the token of a workload, from a variable')
    .optional(),
  assertion_file: z.string().min(1).describe('The same in a file, relative to this one; read each time').optional(),
  identity_provider: z
    .strictObject({
      token_endpoint: z.url().describe('Where the token of the user is exchanged'),
      client_id: z.string().min(1).describe('The client that the user logged in with there'),
      client_secret: z.string().min(1).describe('Its secret, from a variable').optional(),
      id_token: z
        .string()
        .min(1)
        .describe(
          'What says that the user logged in, from a variable. Default, with auth: user: the token that the user showed to the board',
        )
        .optional(),
      id_token_file: z.string().min(1).describe('The same in a file, relative to this one; read each time').optional(),
    })
    .describe('For jwt_bearer: who vouches for a user of a company (enterprise-managed authorization)')
    .optional(),
  issuer: z.string().min(1).describe('The only authorization server the client is for').optional(),
});

/** Another MCP server, in the format of MCP clients. */
export const mcpServer = z.strictObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  command: z.string().min(1).describe('The program that is the server').optional(),
  args: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  env: environment.optional(),
  env_pass: names.describe('Variables of the board that the server sees too, such as LC_*').optional(),
  cwd: z.string().min(1).describe('Its working directory, relative to this file').optional(),
  url: z.string().min(1).describe('Where a server answers over HTTP').optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  oauth: oauth.optional(),
  disabled: z.boolean().describe('Passed over').optional(),
  enabled: z.boolean().describe('Passed over when false').optional(),
  prefix: z.string().describe('Before the names of its tools. Default: the name of the server and __').optional(),
  include: names.describe('Only these tools; * stands for anything').optional(),
  exclude: names.describe('Not these tools; * stands for anything').optional(),
  rename: z.record(z.string(), z.string().min(1)).describe('Other names for tools, before the prefix').optional(),
  category: z.string().min(1).optional(),
  tags: names.describe('Tags that each of its tools gets').optional(),
  risk: risk.optional(),
  trust_hints: z
    .boolean()
    .describe(
      'Believes what the server says about the risk of its tools (readOnlyHint). Default: only what makes it higher',
    )
    .optional(),
  hidden_text: z
    .enum(['strip', 'keep'])
    .describe(
      'Characters that people do not see, in descriptions and results of its tools: models get the text without them, or as it is. Default: strip',
    )
    .optional(),
  instructions: z
    .boolean()
    .describe('Whether clients of the board are told what the server says about itself as a whole. Default: true')
    .optional(),
  paths: paths
    .describe('The arguments of its tools that are paths, for each tool that does not say it itself')
    .optional(),
  tools: z.record(z.string(), toolOverride).describe('What the board says about single tools').optional(),
  timeout: duration.optional(),
  max_output: shared.max_output,
  max_media: shared.max_media,
  start_timeout: duration.optional(),
  idle: z
    .union([duration, z.literal('never')])
    .describe('Stopped after so long without a call; never for a server that stays')
    .optional(),
  share: z
    .enum(['board', 'user', 'session'])
    .describe(
      'Who shares one process of the server, or one connection to it: all callers, those of one user, those of one session. {{user}} in args, env, cwd and headers names the user. Default: user',
    )
    .optional(),
  auth: z
    .enum(['board', 'user'])
    .describe('Whose login it is reached with: one of the board for all callers, or one of each user. Default: board')
    .optional(),
  max_instances: z.int().min(1).describe('Processes of it, or connections to it, at once. Default: 20').optional(),
  roots: z
    .boolean()
    .describe(
      'Whether a server that asks for them gets the folders that clients show (roots). Default: those of clients over stdio',
    )
    .optional(),
  sampling: z
    .boolean()
    .describe('Whether it may use the models that clients lend to the calls of its tools. Default: true')
    .optional(),
  elicitation: z
    .boolean()
    .describe('Whether its questions reach the people in front of clients. Default: true')
    .optional(),
  prompts: picked
    .describe('Whether its prompts are on the board, or which of them; * stands for anything. Default: all')
    .optional(),
  resources: picked
    .describe('Whether its resources are on the board, or which addresses; * stands for anything. Default: all')
    .optional(),
  max_frame: z.int().min(1024).describe('Bytes of one message at most').optional(),
  protocol: z
    .enum(['auto', '2025-11-25', '2026-07-28'])
    .describe('The revision of MCP it speaks. Default: found out')
    .optional(),
  lock: lockMode.optional(),
  // Keys of other clients in the same files, which a board ignores.
  description: z.string().optional(),
  alwaysAllow: z.unknown().optional(),
  trust: z.unknown().optional(),
  autoApprove: z.unknown().optional(),
  disabledTools: names.describe('Like exclude').optional(),
  envFile: z.unknown().optional(),
  dev: z.unknown().optional(),
  gallery: z.unknown().optional(),
  version: z.unknown().optional(),
});

/** The keys of `type: mcp`: one tool of another MCP server. */
export const mcpKeys = z.strictObject({
  server: z.string().min(1).describe('A name under mcpServers'),
  tool: z.string().min(1).describe('The name of the tool on that server. Default: the name of this one').optional(),
});
