import { z } from 'zod';
import { cliRunning } from '../cli/schema.ts';
import { environment } from '../common-schema.ts';

const condition = z.union([z.string(), z.boolean()]).describe('Runs only when this is true');

/** One command of a `run` tool. */
const runCommand = z.strictObject({
  cmd: z.string().min(1),
  args: z
    .array(
      z.union([z.string(), z.number(), z.boolean(), z.strictObject({ name: z.string(), when: condition.optional() })]),
    )
    .optional(),
  workingDir: z.string().optional(),
  env: environment.optional(),
  when: condition.optional(),
});

/** The arguments of a tool, as JSON Schema. */
export const inputSchema = z
  .looseObject({
    type: z.literal('object').optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  })
  .describe('JSON Schema of the arguments');

/** The keys of `type: run`: commands with templates, one after the other. */
export const runKeys = z.strictObject({
  ...cliRunning,
  schema: inputSchema.optional(),
  commands: z.array(runCommand).min(1),
});
