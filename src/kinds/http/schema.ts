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

/** A value that no argument of a call can change. */
const fixed = z.string().regex(/^(?![\s\S]*\{\{)/);

/** What lets requests in at an API. */
const apiAuth = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }).describe('Nothing, where the file has an auth'),
    z.strictObject({
      type: z.literal('bearer'),
      token: fixed.describe('From a variable: ${API_TOKEN}'),
    }),
    z.strictObject({
      type: z.literal('basic'),
      username: fixed,
      password: fixed.describe('From a variable. Default: empty').optional(),
    }),
    z.strictObject({
      type: z.literal('api_key'),
      in: z.enum(['header', 'query', 'cookie']).describe('Default: header').optional(),
      name: z
        .string()
        .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
        .describe('Of the header, the query value or the cookie, such as X-Api-Key'),
      value: fixed.describe('From a variable: ${API_KEY}'),
    }),
    z.strictObject({
      type: z.literal('aws_sigv4'),
      access_key_id: fixed.describe('From a variable: ${AWS_ACCESS_KEY_ID}'),
      secret_access_key: fixed.describe('From a variable: ${AWS_SECRET_ACCESS_KEY}'),
      session_token: fixed.describe('Of temporary credentials: ${AWS_SESSION_TOKEN:-}').optional(),
      region: z
        .string()
        .regex(/^[a-z0-9-]+$/)
        .describe('Default: what the host says')
        .optional(),
      service: z
        .string()
        .regex(/^[a-z0-9-]+$/)
        .describe('Default: what the host says')
        .optional(),
    }),
  ])
  .describe('What lets requests in. It goes to the host of base_url, or of the written url, and to no other');

/** What requests to one API have in common. */
const common = {
  base_url: z
    .string()
    .regex(/^https?:\/\/[^{}?#]+$/i)
    .describe('What stands before a url that has no host, such as https://api.example.com/v2')
    .optional(),
  headers: z.record(z.string(), scalar).optional(),
  auth: apiAuth.optional(),
};

/** The section `http` of a file. */
export const httpSection = z
  .strictObject(common)
  .describe('What all http tools of this file have in common; what a tool says itself wins');

/** One request of an `http` tool. */
const httpRequest = z.strictObject({
  url: z.string().min(1).describe('An address, or what comes after base_url'),
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
  ...common,
  requests: z.array(httpRequest).min(1),
  redirects: z.enum(['same-origin', 'any', 'none']).optional(),
  allow_hosts: z.array(z.string()).describe('Private hosts, host:port or networks this tool may reach').optional(),
});
