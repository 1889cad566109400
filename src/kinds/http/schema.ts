import { z } from 'zod';
import { ENTRY_STYLES } from '../../platform/http/template/entry-styles.ts';
import { inputSchema } from '../run/schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** All but CONNECT and TRACE; the last ones are of WebDAV and caches, or only in documents of OpenAPI 3.2. */
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'QUERY',
  'SEARCH',
  'COPY',
  'MOVE',
  'LINK',
  'UNLINK',
  'LOCK',
  'UNLOCK',
  'PURGE',
  'REPORT',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
] as const;

/** One request of an `http` tool. */
const httpRequest = z.strictObject({
  url: z.string().min(1),
  method: z.enum([...METHODS, ...METHODS.map((method) => method.toLowerCase())]).optional(),
  headers: z.record(z.string(), scalar).optional(),
  query: z.record(z.string(), z.union([scalar, z.array(scalar)])).optional(),
  body: z.unknown().optional(),
  form: z.record(z.string(), scalar).describe('A form body instead of body').optional(),
  styles: z
    .record(z.string(), z.enum(ENTRY_STYLES))
    .describe(
      'How lists and objects are written in the query or a form, by the names of the entries. Default: a list repeats its name, an object is JSON',
    )
    .optional(),
});

/** The keys of `type: http`: requests with templates. */
export const httpKeys = z.strictObject({
  schema: inputSchema.optional(),
  requests: z.array(httpRequest).min(1),
  redirects: z.enum(['same-origin', 'any', 'none']).optional(),
  allow_hosts: z.array(z.string()).describe('Private hosts, host:port or networks this tool may reach').optional(),
});
