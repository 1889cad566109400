import { z } from 'zod';
import { duration } from '../../kinds/common-schema.ts';

// A rule that came out empty, as from a variable that is set to nothing, would hold for no tool.
const text = z.string().min(1);
/** Variables are put into values only: a rule under a key such as `${TOOL}` would hold for no tool. */
const key = z.string().regex(/^[^${}]+$/);
const names = z.union([text, z.array(text)]).describe('One or several; * stands for anything');

/** Which tools a rule is about. All that is given must hold. */
const selector = {
  name: names.optional(),
  tag: names.optional(),
  category: names.optional(),
  risk: names.optional(),
  source: names.optional(),
};

/** A tool's name, or a description of tools. */
export const toolRule = z.union([text, z.strictObject(selector)]);

const limits = z.strictObject({
  pattern: z.string().describe('The whole value must match').optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  enum: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  max_length: z.int().min(0).optional(),
});

const approval = z.enum(['none', 'destructive', 'write', 'all']);

/** The `policy` section: what may be called, with what, and who is asked. */
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
  roots: z.array(text).describe('Folders that path arguments must lie in').optional(),
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
    })
    .optional(),
  approved: z
    .array(z.union([text, z.strictObject({ tool: text, args: z.record(z.string(), z.unknown()) })]))
    .describe('Calls that a person has allowed for good: a tool, or a tool with exactly these arguments')
    .optional(),
});
