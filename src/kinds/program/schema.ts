import { z } from 'zod';
import { inputSchema } from '../run/schema.ts';

const limit = z.int().min(1).optional();

/** The keys of `type: program`: a program that calls tools of the board, as `pegboard code save` writes it. */
export const programKeys = z.strictObject({
  file: z
    .string()
    .regex(/\.[cm]?[jt]s$/)
    .describe('A .ts or .js file with a program for run_code'),
  tools: z
    .array(z.string().min(1))
    .describe('The tools that the program may call. Default: all tools of its caller')
    .optional(),
  schema: inputSchema.describe('JSON Schema of the arguments, which are input in the program').optional(),
  limits: z
    .strictObject({ time: limit, compute: limit, memory: limit, calls: limit, parallel: limit, output: limit })
    .describe('The limits of the program, listed in docs/code-mode.md')
    .optional(),
});
