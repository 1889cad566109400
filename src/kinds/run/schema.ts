import { z } from 'zod';
import { cliRunning, fileEncoding, fileExtension } from '../cli/schema.ts';
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
  stdin: z.string().describe('The standard input of the command, with templates. Default: empty').optional(),
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

/** The keys of `type: run`: commands with templates, run in order. */
export const runKeys = z.strictObject({
  ...cliRunning,
  schema: inputSchema.optional(),
  files: z
    .record(z.string(), z.strictObject({ extension: fileExtension.optional(), encoding: fileEncoding.optional() }))
    .describe('Arguments whose text is written to a file: {{name}} becomes the path of that file')
    .optional(),
  commands: z.array(runCommand).min(1),
});
