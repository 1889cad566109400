import { z } from 'zod';
import { duration } from '../../kinds/common-schema.ts';

// An empty rule, for example from a variable without a value, would match no tool.
const text = z.string().min(1);
/** Variables are only allowed in values: a rule under a key such as `${TOOL}` would match no tool. */
const key = z.string().regex(/^[^${}]+$/);
const names = z.union([text, z.array(text)]).describe('One or several; * is a wildcard');

/** Selects the tools of a rule. All given conditions must match. */
const selector = {
  name: names.optional(),
  tag: names.optional(),
  category: names.optional(),
  risk: names.optional(),
  source: names.optional(),
};

/** A tool's name, or a selector. */
const toolRule = z.union([text, z.strictObject(selector)]);

/** The right of a token or a scope: tools, prompts by name, or resources by URI. */
export const rightRule = z.union([
  toolRule,
  z.strictObject({ prompt: names.describe('Prompts by name') }),
  z.strictObject({ resource: names.describe('Resources by address') }),
]);

const limits = z.strictObject({
  pattern: z.string().describe('The whole value must match').optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  enum: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  max_length: z.int().min(0).optional(),
});

/** Rules for prompts or resources. */
const offerRules = z.strictObject({
  allow: z.array(z.union([text, z.strictObject({ source: names })])).optional(),
  deny: z.array(z.union([text, z.strictObject({ source: names })])).optional(),
});

const approval = z.enum(['none', 'destructive', 'write', 'all']);

/** The `policy` section: allowed tools, allowed arguments, and approvals. */
export const policySection = z.strictObject({
  default: z.enum(['enabled', 'disabled']).describe('Applies to tools that no rule names').optional(),
  allow: z.array(toolRule).optional(),
  deny: z.array(toolRule).optional(),
  tools: z
    .record(
      key,
      z.strictObject({
        description: z.string().min(1).optional(),
        args: z.record(key, limits).optional(),
        require_approval: z.boolean().optional(),
      }),
    )
    .optional(),
  prompts: offerRules
    .describe('Prompts by name or by source; * is a wildcard. Default: as default for tools')
    .optional(),
  resources: offerRules
    .describe('Resources by address or by source; * is a wildcard. Default: as default for tools')
    .optional(),
  apps: z
    .union([
      z.literal(false),
      z.strictObject({ allow: z.array(toolRule).optional(), deny: z.array(toolRule).optional() }),
    ])
    .describe(
      'The tools that pages (MCP Apps) may call; false for none. Default: those that their server allows for pages',
    )
    .optional(),
  servers: z
    .record(
      key,
      z.strictObject({
        sampling: z.boolean().describe('Lets it use the models of clients').optional(),
        elicitation: z.boolean().describe('Lets its questions reach people').optional(),
        roots: z.boolean().describe('Lets it see the folders of clients').optional(),
      }),
    )
    .describe(
      'Requests that MCP servers may send to callers, by name; * is a wildcard. A false under any matching name wins',
    )
    .optional(),
  roots: z.array(text).describe('Folders that path arguments must be in').optional(),
  files: z
    .strictObject({
      board: z
        .enum(['read', 'write'])
        .describe(
          'write lets tools change the files of the board: config, lock, plugins, scripts, programs, packs, skills and .git. Default: read',
        )
        .optional(),
      repositories: z
        .array(text)
        .describe(
          "Folders of git repositories other than the board's own whose settings and hooks may run programs. Default: none",
        )
        .optional(),
    })
    .describe('Access of tools to files that control the board')
    .optional(),
  approval: z
    .strictObject({
      global: approval.describe('The lowest risk that requires approval. Default: write').optional(),
      headless: z
        .enum(['deny', 'approve', 'wait'])
        .describe(
          'The action when no person can be asked directly; wait leaves the question to the inspector and `pegboard approvals`. Default: deny',
        )
        .optional(),
      tools: z.record(key, z.union([approval, z.boolean()])).optional(),
      expires: duration
        .describe('Time until a question expires: seconds, or a text such as 30m, 2h. Default: 24h')
        .optional(),
      notify: z
        .strictObject({
          command: z.array(text).min(1).describe('A program and its arguments; it reads JSON on stdin').optional(),
          url: text.describe('Receives JSON by POST').optional(),
          args: z.boolean().describe('Includes the arguments, without secrets. Default: false').optional(),
        })
        .describe('Notifies someone of a waiting question')
        .optional(),
      max_waiting: z
        .strictObject({
          per_caller: z.int().min(1).describe('Default: 500').optional(),
          per_board: z.int().min(1).describe('Default: 2,000').optional(),
        })
        .describe('Limits for waiting questions; calls beyond them are refused')
        .optional(),
    })
    .optional(),
  approved: z
    .array(
      z.union([
        text,
        z.strictObject({
          tool: text,
          args: z.record(z.string(), z.unknown()).describe('Calls with exactly these arguments').optional(),
          risk: z.enum(['read', 'write', 'destructive']).describe('Calls that have at most this risk').optional(),
          definition: text
            .describe(
              'The hash of the tool definition at the time of the approval; a changed tool needs approval again',
            )
            .optional(),
        }),
      ]),
    )
    .describe(
      'Permanently approved calls: a tool, or its calls up to a risk or with exactly these arguments, while its definition is unchanged',
    )
    .optional(),
});
