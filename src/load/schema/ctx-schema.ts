import { z } from 'zod';
import { ctxRagSection } from '../../kinds/rag/schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const environment = z.record(z.string(), scalar);
const condition = z.union([z.string(), z.boolean()]);

const command = z.looseObject({
  cmd: z.string().min(1),
  args: z.array(z.union([scalar, z.looseObject({ name: z.string(), when: condition.optional() })])).optional(),
  workingDir: z.string().nullable().optional(),
  env: environment.optional(),
  when: condition.optional(),
});

const request = z.looseObject({
  url: z.string().min(1),
  method: z.string().optional(),
  headers: z.record(z.string(), scalar).optional(),
  query: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown().optional(),
});

const base = {
  id: z.string().min(1),
  description: z.string().min(1),
  schema: z
    .looseObject({ properties: z.record(z.string(), z.unknown()).optional(), required: z.array(z.string()).optional() })
    .optional(),
  env: environment.optional(),
  workingDir: z.string().nullable().optional(),
  paths: z.array(z.string()).optional(),
};

/** The tools of a ctx file by type. A tool without a type runs commands. */
const run = z.looseObject({ ...base, commands: z.array(command).min(1) });
const http = z.looseObject({ ...base, requests: z.array(request).min(1) });
const rag = z.looseObject({
  ...base,
  collection: z.string().min(1),
  operations: z
    .array(z.enum(['search', 'store']))
    .min(1)
    .optional(),
});

export const ctxTools = { run, http, rag };

/** The parts of a ctx `context.yaml` that define tools. */
export const ctxFile = z.looseObject({
  variables: z.record(z.string(), scalar).optional(),
  import: z
    .array(
      z.union([
        z.string(),
        z.looseObject({ path: z.string().optional(), url: z.string().optional(), type: z.string().optional() }),
      ]),
    )
    .optional(),
  tools: z.array(z.looseObject({})).optional(),
  rag: ctxRagSection.optional(),
});
