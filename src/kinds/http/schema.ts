import { z } from 'zod';
import { inputSchema } from '../run/schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** One request of an `http` tool. */
const httpRequest = z.strictObject({
  url: z.string().min(1),
  method: z
    .enum([
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'get',
      'post',
      'put',
      'patch',
      'delete',
      'head',
      'options',
    ])
    .optional(),
  headers: z.record(z.string(), scalar).optional(),
  query: z.record(z.string(), z.union([scalar, z.array(scalar)])).optional(),
  body: z.unknown().optional(),
  form: z.record(z.string(), scalar).describe('A form body instead of body').optional(),
});

/** The keys of `type: http`: requests with templates. */
export const httpKeys = z.strictObject({
  schema: inputSchema.optional(),
  requests: z.array(httpRequest).min(1),
  redirects: z.enum(['same-origin', 'any', 'none']).optional(),
  allow_hosts: z.array(z.string()).describe('Private hosts, host:port or networks this tool may reach').optional(),
});
