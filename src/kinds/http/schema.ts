import { z } from 'zod';
import { ENTRY_STYLES } from '../../platform/http/template/entry-styles.ts';
import { duration } from '../common-schema.ts';
import { inputSchema } from '../run/schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** All but CONNECT and TRACE; the last ones are for WebDAV and caches, or only in documents of OpenAPI 3.2. */
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

const address = z.string().regex(/^https?:\/\/[^{}\s]+$/);

/** The credentials of an API. */
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
      type: z.literal('oauth'),
      name: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,128}$/)
        .describe('What pegboard login calls it. Default: the name of the file')
        .optional(),
      grant: z
        .enum(['client_credentials', 'device', 'authorization_code'])
        .describe(
          'The client itself is given a token, or a person logs in: with a code, or in a browser of this machine',
        ),
      issuer: address.describe('An authorization server that describes its addresses itself').optional(),
      token_url: address.describe('Where tokens are given, when there is no issuer').optional(),
      device_url: address.describe('For device: where codes are given').optional(),
      authorize_url: address.describe('For authorization_code: where a person logs in').optional(),
      client_id: fixed,
      client_secret: fixed.describe('From a variable').optional(),
      client_auth: z
        .enum(['basic', 'body'])
        .describe('How the secret is sent. Default: as the issuer says, otherwise basic')
        .optional(),
      scope: fixed.describe('Several with spaces between them').optional(),
      audience: fixed.describe('The API that the token is for, where the authorization server asks for it').optional(),
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

/** Settings shared by requests to one API. */
const common = {
  base_url: z
    .string()
    .regex(/^https?:\/\/[^{}?#]+$/i)
    .describe('What stands before a url that has no host, such as https://api.example.com/v2')
    .optional(),
  headers: z.record(z.string(), scalar).optional(),
  auth: apiAuth.optional(),
  allow_hosts: z.array(z.string()).describe('Private hosts, host:port or networks that requests may reach').optional(),
};

/** The section `http` of a file. */
export const httpSection = z
  .strictObject(common)
  .describe('What all http tools of this file have in common; what a tool says itself wins');

const path = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/);

/** A GraphQL request. */
const graphql = z
  .strictObject({
    query: z.string().min(1).describe('The query or mutation, as it is sent: arguments go into variables'),
    variables: z
      .record(z.string(), z.unknown())
      .describe('Its variables, with templates. Default: the arguments that the query declares')
      .optional(),
    operation: z.string().min(1).describe('Which operation of the query runs, where it has several').optional(),
  })
  .describe('A GraphQL request, instead of body');

/** The pagination of responses. */
const paginate = z
  .strictObject({
    type: z
      .enum(['link', 'cursor', 'page', 'offset'])
      .describe(
        'What leads to the next page: a link, a text from the answer, the number of the page, or how many items come before it',
      ),
    items: path.describe('Where the list is in each answer, such as data.items. Default: the answer itself').optional(),
    next: path
      .describe('Where the cursor of the next page is, or its link. Default for links: the Link header')
      .optional(),
    more: path
      .describe('Where the answer says whether there is more: true or false, or the number of all items')
      .optional(),
    param: z
      .string()
      .min(1)
      .describe('The argument that says where to begin. Default: next, cursor, page or offset, after the type')
      .optional(),
    first: z.int().min(0).describe('The number of the first page. Default: 1').optional(),
    limit: z
      .int()
      .min(1)
      .max(100_000)
      .describe('Items after which no further page is asked for. Default: 500')
      .optional(),
    pages: z.int().min(1).max(1000).describe('Pages that one call asks for. Default: 20').optional(),
  })
  .describe('Joins the pages of an answer in one call');

/** A part of a form with files. */
const part = z.union([
  scalar,
  z.strictObject({
    output: z.string().min(1).describe('The id of a kept output, such as {{output}}').optional(),
    path: z.string().min(1).describe('The path of a file in upload_from, such as {{file}}').optional(),
    content: z.string().min(1).describe('The contents, such as {{text}}').optional(),
    encoding: z.enum(['text', 'base64']).describe('How content is written. Default: text').optional(),
    filename: z
      .string()
      .min(1)
      .describe('Its name for the server. Default: that of the path, or of the part')
      .optional(),
    type: z.string().min(1).describe('Its media type. Default: application/octet-stream').optional(),
  }),
]);

/** The collection of server-sent events. */
const stream = z
  .union([
    z.literal('sse'),
    z.strictObject({
      type: z.literal('sse'),
      until: z.string().min(1).describe('The name of the last event, or its data. Default: [DONE]').optional(),
      limit: z.int().min(1).max(10_000).describe('Events after which no more are wanted. Default: 1,000').optional(),
      for: duration.describe('How long to listen: what came by then is the answer').optional(),
    }),
  ])
  .describe('Collects the events of a server until their end');

/** The keys of a request for the parts of its body and the handling of its response. */
export const extraKeys = {
  multipart: z
    .record(z.string(), part)
    .describe('A form with files, instead of body: fields as texts, files by output, path or content')
    .optional(),
  graphql: graphql.optional(),
  paginate: paginate.optional(),
  stream: stream.optional(),
  select: z
    .string()
    .min(1)
    .describe(
      'What of the JSON the model gets, in JMESPath: items[].{id: id, title: title}; of pages, what of the list',
    )
    .optional(),
};

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
  ...extraKeys,
});

/** The keys of `type: http`: requests with templates. */
export const httpKeys = z.strictObject({
  schema: inputSchema.optional(),
  ...common,
  requests: z.array(httpRequest).min(1),
  redirects: z.enum(['same-origin', 'any', 'none']).optional(),
  idempotency_header: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
    .describe(
      'The header in which the API takes a key, such as Idempotency-Key, so that a call that is made again is done once',
    )
    .optional(),
  output: z
    .strictObject({
      type: z.literal('json').optional(),
      schema: z.looseObject({ type: z.string().optional() }).describe('JSON Schema of the data'),
    })
    .describe('What the data of a result is, for clients that want to know')
    .optional(),
  upload_from: z
    .string()
    .min(1)
    .describe(
      'The folder that files of multipart must lie in, relative to this file. Default: where commands of the board run',
    )
    .optional(),
});
