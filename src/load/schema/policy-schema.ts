import { z } from 'zod';
import { duration } from '../../kinds/common-schema.ts';

// An empty rule, for example from a variable without a value, would match no tool.
const text = z.string().min(1);
/** Variables are only allowed in values: a rule under a key such as `${TOOL}` would match no tool. */
const key = z.string().regex(/^[^${}]+$/);
const names = z.union([text, z.array(text)]).describe('One or several; * stands for anything');

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
  default: z.enum(['enabled', 'disabled']).describe('Whether a tool that no rule names may be called').optional(),
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
    .describe('Prompts by name or by source; * stands for anything. Default: as default says for tools')
    .optional(),
  resources: offerRules
    .describe('Resources by address or by source; * stands for anything. Default: as default says for tools')
    .optional(),
  apps: z
    .union([
      z.literal(false),
      z.strictObject({ allow: z.array(toolRule).optional(), deny: z.array(toolRule).optional() }),
    ])
    .describe('Which tools pages (MCP Apps) may call; false for none. Default: what their server means for pages')
    .optional(),
  servers: z
    .record(
      key,
      z.strictObject({
        sampling: z.boolean().describe('Whether it may use the models of clients').optional(),
        elicitation: z.boolean().describe('Whether its questions reach people').optional(),
        roots: z.boolean().describe('Whether it gets the folders of clients').optional(),
      }),
    )
    .describe('What MCP servers may ask callers for, by name; * stands for anything. A no under any name counts')
    .optional(),
  roots: z.array(text).describe('Folders that path arguments must lie in').optional(),
  files: z
    .strictObject({
      board: z
        .enum(['read', 'write'])
        .describe(
          'write lets tools change what the board is made of: config, lock, plugins, scripts, programs, packs, skills and .git. Default: read',
        )
        .optional(),
      repositories: z
        .array(text)
        .describe(
          "Folders of git repositories, besides the board's own, whose settings and hooks may run programs. Default: none",
        )
        .optional(),
    })
    .describe('What tools may do with files that decide what the board does')
    .optional(),
  approval: z
    .strictObject({
      global: approval.describe('The least risk that needs a yes. Default: write').optional(),
      headless: z
        .enum(['deny', 'approve', 'wait'])
        .describe(
          'What happens when no person can be asked directly; wait leaves the question to the inspector and `pegboard approvals`. Default: deny',
        )
        .optional(),
      tools: z.record(key, z.union([approval, z.boolean()])).optional(),
      expires: duration
        .describe('How long a question may be answered: seconds, or a text such as 30m, 2h. Default: 24h')
        .optional(),
      notify: z
        .strictObject({
          command: z.array(text).min(1).describe('A program and its arguments; it reads JSON on stdin').optional(),
          url: text.describe('Gets JSON by POST').optional(),
          args: z.boolean().describe('Tells the arguments too, without secrets. Default: false').optional(),
        })
        .describe('Who is told that a question waits')
        .optional(),
      max_waiting: z
        .strictObject({
          per_caller: z.int().min(1).describe('Default: 500').optional(),
          per_board: z.int().min(1).describe('Default: 2,000').optional(),
        })
        .describe('How many questions may wait at once; a call beyond that is refused')
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
            .describe('The hash of what the tool was when a person was asked; when it changes they are asked again')
            .optional(),
        }),
      ]),
    )
    .describe(
      'Calls that a person has allowed for good: a tool, or its calls with at most a risk or with exactly these arguments, as long as it is what it was',
    )
    .optional(),
});
