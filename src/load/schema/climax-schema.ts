import { z } from 'zod';

const argument = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  type: z.enum(['string', 'integer', 'number', 'boolean']).optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  flag: z.string().nullable().optional(),
  enum: z.array(z.string()).nullable().optional(),
  positional: z.boolean().optional(),
  cwd: z.boolean().optional(),
  stdin: z.boolean().optional(),
});

const resolver = z.looseObject({
  command: z.string(),
  args: z.array(z.string()).optional(),
  timeout: z.number().optional(),
});

/** A CLImax file. Unknown keys are ignored, as CLImax does. */
export const climaxFile = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  command: z.string(),
  env: z.record(z.string(), z.string()).optional(),
  working_dir: z.string().nullable().optional(),
  category: z.string().nullable().optional(),
  tags: z.array(z.string()).optional(),
  global_args: z.array(argument).optional(),
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      command: z.string().optional(),
      args: z.array(argument).optional(),
      timeout: z.number().nullable().optional(),
      risk: z.enum(['read', 'write', 'destructive']).optional(),
      confirm_message: z.string().nullable().optional(),
      paths: z.array(z.string()).nullable().optional(),
      resolve: z.record(z.string(), resolver).optional(),
    }),
  ),
});

const limits = z.looseObject({
  pattern: z.string().nullable().optional(),
  min: z.number().nullable().optional(),
  max: z.number().nullable().optional(),
});
const approval = z.enum(['none', 'destructive', 'write', 'all']);

export const climaxPolicyFile = z.looseObject({
  executor: z
    .looseObject({
      type: z.enum(['local', 'docker']).optional(),
      image: z.string().nullable().optional(),
      volumes: z.array(z.string()).optional(),
      working_dir: z.string().nullable().optional(),
      network: z.string().nullable().optional(),
    })
    .optional(),
  default: z.enum(['enabled', 'disabled']).optional(),
  tools: z
    .record(
      z.string(),
      z
        .looseObject({
          description: z.string().nullable().optional(),
          args: z.record(z.string(), limits).optional(),
          require_approval: z.boolean().optional(),
        })
        .nullable(),
    )
    .optional(),
  approval: z
    .looseObject({
      global: approval.optional(),
      headless: z.enum(['deny', 'approve']).optional(),
      tools: z.record(z.string(), z.union([approval, z.boolean()])).optional(),
    })
    .optional(),
});
