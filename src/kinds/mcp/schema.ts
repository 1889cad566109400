import { z } from 'zod';
import { duration, environment, paths, risk, shared } from '../common-schema.ts';

const names = z.array(z.string().min(1));
const picked = z.union([z.boolean(), names]);

const toolOverride = z.strictObject({
  name: z.string().min(1).describe('Its name on the board, after the prefix').optional(),
  title: z.string().min(1).optional(),
  description: z.string().min(1).describe('Replaces the text of the server').optional(),
  category: z.string().min(1).optional(),
  tags: names.describe('In addition to those of the server').optional(),
  risk: risk.optional(),
  paths: paths.optional(),
  timeout: duration.optional(),
  max_output: shared.max_output,
  max_media: shared.max_media,
});

/** The reaction to a tool that differs from `pegboard.lock`. */
export const lockMode = z
  .enum(['deny', 'warn', 'approve'])
  .describe('The reaction to a tool that differs from pegboard.lock: it is disabled, reported, or needs approval');

/** The OAuth settings of a server; all may be omitted if the authorization server registers clients. */
const oauth = z.strictObject({
  client_id: z.string().min(1).describe('A client registered at the authorization server').optional(),
  client_secret: z.string().min(1).describe('Its secret, from a variable').optional(),
  client_metadata_url: z
    .url({ protocol: /^https$/ })
    .describe('A document about the client, whose address is its id if that is supported')
    .optional(),
  private_key: z.string().min(1).describe('A key in PEM, for clients that sign (private_key_jwt)').optional(),
  algorithm: z.enum(['ES256', 'RS256']).describe('The signature algorithm of the key. Default: ES256').optional(),
  scope: z.string().min(1).describe('Requested in addition to the scopes of the server').optional(),
  grant: z
    .enum(['authorization_code', 'client_credentials', 'jwt_bearer', 'token_exchange'])
    .describe(
      'A person logs in, the client itself gets the token, it presents an assertion of another issuer, or it exchanges the token that a user sent to the board (with auth: user). Default: authorization_code',
    )
    .optional(),
  assertion: z
    .string()
    .min(1)
    .describe('For jwt_bearer: the assertion of another issuer, such as the token of a workload, from a variable')
    .optional(),
  assertion_file: z
    .string()
    .min(1)
    .describe('The same in a file, relative to this one; read for each request')
    .optional(),
  identity_provider: z
    .strictObject({
      token_endpoint: z.url().describe('The endpoint that exchanges the token of the user'),
      client_id: z.string().min(1).describe('The client that the user logged in with there'),
      client_secret: z.string().min(1).describe('Its secret, from a variable').optional(),
      id_token: z
        .string()
        .min(1)
        .describe(
          'The proof of the login of the user, from a variable. Default, with auth: user: the token that the user sent to the board',
        )
        .optional(),
      id_token_file: z
        .string()
        .min(1)
        .describe('The same in a file, relative to this one; read for each request')
        .optional(),
    })
    .describe('For jwt_bearer: the identity provider of a company (enterprise-managed authorization)')
    .optional(),
  issuer: z.string().min(1).describe('The only authorization server for this client').optional(),
});

/** Another MCP server, in the format of MCP clients. */
export const mcpServer = z.strictObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  command: z.string().min(1).describe('The program of the server').optional(),
  args: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  env: environment.optional(),
  env_pass: names.describe('Variables of the board that are passed to the server, such as LC_*').optional(),
  cwd: z.string().min(1).describe('Its working directory, relative to this file').optional(),
  url: z.string().min(1).describe('The address of a server over HTTP').optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  oauth: oauth.optional(),
  disabled: z.boolean().describe('Passed over').optional(),
  enabled: z.boolean().describe('Ignored when false').optional(),
  prefix: z.string().describe('The prefix of its tool names. Default: the name of the server and __').optional(),
  include: names.describe('Only these tools; * matches anything').optional(),
  exclude: names.describe('Not these tools; * matches anything').optional(),
  rename: z.record(z.string(), z.string().min(1)).describe('Other names for tools, before the prefix').optional(),
  category: z.string().min(1).optional(),
  tags: names.describe('Tags that each of its tools gets').optional(),
  risk: risk.optional(),
  trust_hints: z
    .boolean()
    .describe(
      'Trusts the hints of the server about the risk of its tools (readOnlyHint). Default: only those that raise it',
    )
    .optional(),
  hidden_text: z
    .enum(['strip', 'keep'])
    .describe(
      'Invisible characters in descriptions and results of its tools: models get the text without them, or unchanged. Default: strip',
    )
    .optional(),
  instructions: z
    .boolean()
    .describe('Passes the instructions of the server to the clients of the board. Default: true')
    .optional(),
  paths: paths.describe('The arguments of its tools that are paths, for tools without their own list').optional(),
  tools: z.record(z.string(), toolOverride).describe('Settings for single tools').optional(),
  timeout: duration.optional(),
  max_output: shared.max_output,
  max_media: shared.max_media,
  start_timeout: duration.optional(),
  idle: z
    .union([duration, z.literal('never')])
    .describe('The time without a call after which it is stopped; unset for a server that always runs')
    .optional(),
  share: z
    .enum(['board', 'user', 'session'])
    .describe(
      'The callers that share one process of the server, or one connection to it: all, those of one user, or those of one session. {{user}} in args, env, cwd and headers names the user. Default: user',
    )
    .optional(),
  auth: z
    .enum(['board', 'user'])
    .describe('The login to use: one of the board for all callers, or one of each user. Default: board')
    .optional(),
  max_instances: z
    .int()
    .min(1)
    .describe('The most processes of it, or connections to it, at once. Default: 20')
    .optional(),
  roots: z
    .boolean()
    .describe(
      'Gives the folders of clients (roots) to a server that asks for them. Default: those of clients over stdio',
    )
    .optional(),
  sampling: z
    .boolean()
    .describe('Lets it use the models of clients during calls of its tools (sampling). Default: true')
    .optional(),
  elicitation: z
    .boolean()
    .describe('Passes its questions to the people at the clients (elicitation). Default: true')
    .optional(),
  prompts: picked.describe('The prompts to include: all, none, or names; * matches anything. Default: all').optional(),
  resources: picked
    .describe('The resources to include: all, none, or addresses; * matches anything. Default: all')
    .optional(),
  max_frame: z.int().min(1024).describe('The most bytes of one message').optional(),
  protocol: z
    .enum(['auto', '2025-11-25', '2026-07-28'])
    .describe('The revision of MCP that it uses. Default: detected')
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
