import { z } from 'zod';

/** Seconds as a number, or a string with a unit. */
export const duration = z
  .union([z.number().min(0), z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h)$/)])
  .describe('Seconds, or a text such as 500ms, 30s, 2m, 1h');

/** Bytes as a number, or a string with a unit of 1,024. */
export const size = z
  .union([z.int().min(1), z.string().regex(/^\d+(\.\d+)?\s*(KB|MB|GB)$/)])
  .describe('Bytes, or a text such as 500KB, 64MB, 2GB');

/** The risk of a call. */
export const risk = z
  .enum(['read', 'write', 'destructive'])
  .describe('The effect of a call: it reads, changes or destroys something. Default: write');

export const environment = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String).or(z.string()))
  .describe('Environment variables of the command');

/** The arguments of a tool that are paths. */
export const paths = z
  .array(z.string().min(1))
  .describe('The arguments that are paths, dotted for nested ones; the allowed roots of the policy apply to them');

/** The keys that entries of all kinds share. */
export const shared = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/)
    .describe('1 to 128 of A-Z a-z 0-9 _ . -'),
  description: z.string().min(1).describe('What the tool does, for the model'),
  category: z.string().min(1).optional(),
  tags: z.array(z.string().min(1)).optional(),
  risk: risk.optional(),
  idempotent: z
    .boolean()
    .describe('A call may be repeated if it is unknown whether it ran. Default: false, except for risk: read')
    .optional(),
  aliases: z
    .array(z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/))
    .describe('Other names that calls may use; they are not listed')
    .optional(),
  title: z.string().min(1).describe('The name people see').optional(),
  icon: z
    .string()
    .regex(/^(https|data):/)
    .describe('An icon for people: an https or data address')
    .optional(),
  annotations: z
    .strictObject({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .describe('Hints for MCP clients in addition to the risk, which wins if they differ')
    .optional(),
  _meta: z.record(z.string(), z.unknown()).describe('Further data for MCP clients, as _meta of the tool').optional(),
  paths: paths.optional(),
  timeout: duration.optional(),
  concurrency: z.int().min(1).describe('The number of calls that may run at once').optional(),
  retries: z.int().min(0).max(10).describe('Retries after a temporary failure').optional(),
  max_output: z.int().min(1).describe('Characters of output before it is shortened').optional(),
  max_media: size
    .describe('Images, sounds and files in a result: bytes, or a text such as 25MB. Default: 10MB')
    .optional(),
  examples: z
    .array(
      z.strictObject({
        description: z.string().min(1),
        input: z.record(z.string(), z.unknown()),
        output: z.unknown().optional(),
        explanation: z.string().optional(),
      }),
    )
    .describe('Worked calls, for models and for search')
    .optional(),
  utterances: z.array(z.string().min(1)).describe('Requests of people who need the tool, for search').optional(),
  common: z
    .boolean()
    .describe('The tool is one of the most used of its kind: search prefers it among equal matches')
    .optional(),
  usage_notes: z.string().min(1).optional(),
  limitations: z.array(z.string().min(1)).optional(),
  deprecated: z
    .union([z.boolean(), z.string().min(1)])
    .describe('true, or the name of the tool to use instead')
    .optional(),
};
