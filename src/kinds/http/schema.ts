import { z } from 'zod';
import { ENTRY_STYLES } from '../../platform/http/template/template.ts';
import { duration } from '../common-schema.ts';
import { inputSchema } from '../run/schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** All but CONNECT and TRACE; the last ones are for WebDAV and caches, or only in documents of OpenAPI 3.2. */
const METHODS =
  'GET POST PUT PATCH DELETE HEAD OPTIONS QUERY SEARCH COPY MOVE LINK UNLINK LOCK UNLOCK PURGE REPORT PROPFIND PROPPATCH MKCOL'.split(
    ' ',
  );

/** A value that no argument of a call can change. */
const fixed = z.string().regex(/^(?![\s\S]*\{\{)/);

const address = z.string().regex(/^https?:\/\/[^{}\s]+$/);

/** The credentials of an API. */
const apiAuth = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }).describe('No credentials, even if the file has an auth'),
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
        .describe('The name of the header, the query value or the cookie, such as X-Api-Key'),
      value: fixed.describe('From a variable: ${API_KEY}'),
    }),
    z.strictObject({
      type: z.literal('oauth'),
      name: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,128}$/)
        .describe('Its name for pegboard login. Default: the name of the file')
        .optional(),
      grant: z
        .enum(['client_credentials', 'device', 'authorization_code'])
        .describe('The client itself gets a token, or a person logs in: with a code, or in a browser on this machine'),
      issuer: address.describe('An authorization server that publishes its addresses').optional(),
      token_url: address.describe('The token endpoint, without an issuer').optional(),
      device_url: address.describe('For device: the endpoint for codes').optional(),
      authorize_url: address.describe('For authorization_code: the login page').optional(),
      client_id: fixed,
      client_secret: fixed.describe('From a variable').optional(),
      client_auth: z
        .enum(['basic', 'body'])
        .describe('The way to send the secret. Default: chosen by the issuer, otherwise basic')
        .optional(),
      scope: fixed.describe('Several scopes are separated by spaces').optional(),
      audience: fixed.describe('The API that the token is for, if the authorization server requires it').optional(),
    }),
    z.strictObject({
      type: z.literal('aws_sigv4'),
      access_key_id: fixed.describe('From a variable: ${AWS_ACCESS_KEY_ID}'),
      secret_access_key: fixed.describe('From a variable: ${AWS_SECRET_ACCESS_KEY}'),
      session_token: fixed.describe('For temporary credentials: ${AWS_SESSION_TOKEN:-}').optional(),
      region: z
        .string()
        .regex(/^[a-z0-9-]+$/)
        .describe('Default: taken from the host')
        .optional(),
      service: z
        .string()
        .regex(/^[a-z0-9-]+$/)
        .describe('Default: taken from the host')
        .optional(),
    }),
  ])
  .describe('The credentials of requests. They are sent only to the host of base_url, or of the url in the config');

/** Settings shared by requests to one API. */
const common = {
  base_url: z
    .string()
    .regex(/^https?:\/\/[^{}?#]+$/i)
    .describe('The base of a url without a host, such as https://api.example.com/v2')
    .optional(),
  headers: z.record(z.string(), scalar).optional(),
  auth: apiAuth.optional(),
  allow_hosts: z.array(z.string()).describe('Private hosts, host:port or networks that requests may reach').optional(),
};

/** The section `http` of a file. */
export const httpSection = z
  .strictObject(common)
  .describe('Settings of all http tools of this file; the settings of a tool win');

const path = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/);

/** A GraphQL request. */
const graphql = z
  .strictObject({
    query: z.string().min(1).describe('The query or mutation, sent unchanged: arguments go into variables'),
    variables: z
      .record(z.string(), z.unknown())
      .describe('Its variables, with templates. Default: the arguments that the query declares')
      .optional(),
    operation: z.string().min(1).describe('The operation to run, if the query has several').optional(),
  })
  .describe('A GraphQL request, instead of body');

/** The pagination of responses. */
const paginate = z
  .strictObject({
    type: z
      .enum(['link', 'cursor', 'page', 'offset'])
      .describe(
        'The kind of pagination: a link, a cursor from the response, the number of the page, or the number of items before it',
      ),
    items: path
      .describe('The path of the list in each response, such as data.items. Default: the response itself')
      .optional(),
    next: path.describe('The path of the next cursor or link. Default for links: the Link header').optional(),
    more: path
      .describe('The path of the value that says if there is more: true or false, or the number of all items')
      .optional(),
    param: z
      .string()
      .min(1)
      .describe('The argument for the start. Default: next, cursor, page or offset, depending on the type')
      .optional(),
    first: z.int().min(0).describe('The number of the first page. Default: 1').optional(),
    limit: z
      .int()
      .min(1)
      .max(100_000)
      .describe('The number of items after which no further page is requested. Default: 500')
      .optional(),
    pages: z.int().min(1).max(1000).describe('The most pages that one call requests. Default: 20').optional(),
  })
  .describe('Joins the pages of a response in one call');

/** A part of a form with files. */
const part = z.union([
  scalar,
  z.strictObject({
    output: z.string().min(1).describe('The id of a stored output, such as {{output}}').optional(),
    path: z.string().min(1).describe('The path of a file in upload_from, such as {{file}}').optional(),
    content: z.string().min(1).describe('The contents, such as {{text}}').optional(),
    encoding: z.enum(['text', 'base64']).describe('The encoding of content. Default: text').optional(),
    filename: z
      .string()
      .min(1)
      .describe('Its file name for the server. Default: that of the path, or of the part')
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
      limit: z.int().min(1).max(10_000).describe('The most events to collect. Default: 1,000').optional(),
      for: duration.describe('The time to listen; the events until then are the result').optional(),
    }),
  ])
  .describe('Collects the events of a server until its last one');

/** The keys of a request for the parts of its body and the handling of its response. */
export const extraKeys = {
  multipart: z
    .record(z.string(), part)
    .describe('A form with files, instead of body: text fields, and files by output, path or content')
    .optional(),
  graphql: graphql.optional(),
  paginate: paginate.optional(),
  stream: stream.optional(),
  select: z
    .string()
    .min(1)
    .describe(
      'Selects the JSON for the model, in JMESPath: items[].{id: id, title: title}; with paginate, from the list',
    )
    .optional(),
};

/** One request of an `http` tool. */
const httpRequest = z.strictObject({
  url: z.string().min(1).describe('An address, or the part after base_url'),
  method: z.enum([...METHODS, ...METHODS.map((method) => method.toLowerCase())]).optional(),
  headers: z.record(z.string(), scalar).optional(),
  query: z.record(z.string(), z.union([scalar, z.array(scalar)])).optional(),
  body: z.unknown().optional(),
  form: z.record(z.string(), scalar).describe('A form body instead of body').optional(),
  styles: z
    .record(z.string(), z.enum(ENTRY_STYLES))
    .describe(
      'The notation of lists and objects in the query or a form, by entry. Default: a list repeats its name, an object is JSON',
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
      'The header for the idempotency key of the API, such as Idempotency-Key, so that a repeated call has one effect',
    )
    .optional(),
  output: z
    .strictObject({
      type: z.literal('json').optional(),
      schema: z.looseObject({ type: z.string().optional() }).describe('JSON Schema of the data'),
    })
    .describe('The schema of the data of a result, for clients')
    .optional(),
  upload_from: z
    .string()
    .min(1)
    .describe(
      'The folder that must contain the files of multipart, relative to this file. Default: the working directory of the board',
    )
    .optional(),
});
