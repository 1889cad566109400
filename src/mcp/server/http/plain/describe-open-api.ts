import { type McpTool, toMcpTools } from '../../../../export/mcp.ts';
import type { Caller } from '../../caller.ts';
import { PLAIN_PATHS } from './plain-answer.ts';
import type { McpServer } from '../../mcp-server.ts';
import type { ToolView } from '../../tool-catalog.ts';
import { isPlainObject, type JsonSchema } from '../../../../tool/json.ts';
import { mapSubschemas } from '../../../../tool/parameters/schema-node.ts';
import { serverFactsOf, wordsForModel } from '../../../../tool/server-words.ts';
import { isDiscoveryTool } from '../../../../tool/tool-marks.ts';
import { riskOf } from '../../../../tool/tool-metadata.ts';
import type { Tool } from '../../../../tool/tool.ts';

const written = new WeakMap<ToolView, { readonly needsToken: boolean; readonly text: string }>();

/** Returns the OpenAPI 3.1 document of the tools that a caller may use, as JSON; cached for each set of rights until the board changes. */
export function describeOpenApi(server: McpServer, { access }: Caller, needsToken: boolean): string {
  const view = server.methods.catalog.view(access);
  const known = written.get(view);
  if (known?.needsToken === needsToken) return known.text;
  const { serverInfo } = server.methods.info;
  const tools = view.registry.getAll().filter((tool) => !isDiscoveryTool(tool));
  const { redactor } = server.board.registry.executor;
  const document = redactor.data(writeDocument(tools, { serverInfo, needsToken }));
  const text = JSON.stringify(document);
  written.set(view, { needsToken, text });
  return text;
}

interface DocumentParts {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly needsToken: boolean;
}

function writeDocument(tools: readonly Tool[], { serverInfo, needsToken }: DocumentParts): Record<string, unknown> {
  const { name, title, version } = serverInfo;
  const paths: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = { ...SHARED_SCHEMAS };
  const listed = new Map(toMcpTools(tools).tools.map((tool) => [tool.name, tool]));
  for (const tool of tools) {
    const shown = listed.get(tool.metadata.name);
    if (shown !== undefined) paths[PLAIN_PATHS.tools + shown.name] = { post: writeOperation(tool, shown, schemas) };
  }
  const isTaken = (id: string): boolean => listed.has(id);
  return {
    openapi: '3.1.0',
    info: {
      title: typeof title === 'string' ? title : String(name),
      version: String(version),
      description: 'The tools of this board that you may use. Each call passes the same checks as calls over MCP.',
    },
    servers: [{ url: '/' }],
    ...(needsToken ? { security: [{ token: [] }] } : {}),
    paths: { ...paths, ...ownPaths(isTaken) },
    components: {
      schemas,
      responses: SHARED_RESPONSES,
      ...(needsToken ? { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}

const FAILURES = ['400', '401', '403', '404', '409', '413', '415', '429', '500', '502', '503', '504'] as const;

function writeOperation(tool: Tool, shown: McpTool, schemas: Record<string, unknown>): Record<string, unknown> {
  const { name, title, description } = shown;
  const { input, output } = schemasOf(tool, shown);
  const place = (kind: string, schema: JsonSchema): { readonly $ref: string } => {
    const $ref = `#/components/schemas/${kind}.${name}`;
    schemas[`${kind}.${name}`] = embedSchema(schema, $ref);
    return { $ref };
  };
  const result = { $ref: '#/components/schemas/Result' };
  const data = output === undefined ? undefined : { properties: { data: place('output', output) }, required: ['data'] };
  return {
    operationId: name,
    ...(title === undefined ? {} : { summary: title }),
    description,
    'x-pegboard-risk': riskOf(tool),
    requestBody: { required: true, content: { 'application/json': { schema: place('input', input) } } },
    responses: {
      200: {
        description: 'What the tool answered.',
        content: { 'application/json': { schema: data === undefined ? result : { allOf: [result, data] } } },
      },
      202: { $ref: '#/components/responses/Waiting' },
      ...Object.fromEntries(FAILURES.map((status) => [status, { $ref: '#/components/responses/Failure' }])),
    },
  };
}

/** Returns the schemas as the board understands them: a server's own may use an older draft. */
function schemasOf(
  tool: Tool,
  { inputSchema, outputSchema }: McpTool,
): { readonly input: JsonSchema; readonly output: JsonSchema | undefined } {
  const said = serverFactsOf(tool)?.said;
  const words = wordsForModel(tool);
  return {
    input: said?.inputSchema === undefined ? inputSchema : { ...words.inputSchema, type: 'object' },
    output: said?.outputSchema === undefined || !isPlainObject(words.outputSchema) ? outputSchema : words.outputSchema,
  };
}

/** Describes the other paths: the state of a question, and outputs that were too large to return. */
function ownPaths(isTaken: (operationId: string) => boolean): Record<string, unknown> {
  const free = (id: string): string => (isTaken(id) ? free(`${id}_`) : id);
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const answer = (schema: string, description: string): Record<string, unknown> => ({
    200: { description, content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } },
    default: { $ref: '#/components/responses/Failure' },
  });
  const whole = { type: 'integer' };
  return {
    [`${PLAIN_PATHS.approvals}{id}`]: {
      get: {
        operationId: free('get_approval'),
        summary: 'Get how the question about one of your calls stands',
        parameters: [id],
        responses: answer('Approval', 'How the question stands.'),
      },
      delete: {
        operationId: free('withdraw_approval'),
        summary: 'Withdraw the question about one of your calls',
        parameters: [id],
        responses: { 204: { description: 'It is withdrawn.' }, default: { $ref: '#/components/responses/Failure' } },
      },
    },
    [`${PLAIN_PATHS.outputs}{id}`]: {
      get: {
        operationId: free('get_output'),
        summary: 'Get lines of an output that was too large to return',
        parameters: [
          id,
          { name: 'offset', in: 'query', schema: { ...whole, default: 0 }, description: 'Negative: from the end' },
          { name: 'lines', in: 'query', schema: { ...whole, minimum: 1, maximum: 10_000, default: 200 } },
        ],
        responses: answer('Output', 'Some of its lines.'),
      },
    },
  };
}

/**
 * Embeds a schema in a larger document at `place`: its references lead there. A schema with an `$id` is a document of its own and stays
 * unchanged.
 */
function embedSchema(schema: JsonSchema, place: string): JsonSchema {
  const { $schema: _, ...rest } = schema;
  // An object stays an object.
  return embed(rest, place) as JsonSchema;
}

function embed(node: unknown, place: string): unknown {
  if (!isPlainObject(node) || typeof node['$id'] === 'string') return node;
  const mapped = mapSubschemas(node, (part) => embed(part, place));
  const { $ref } = mapped;
  if (typeof $ref === 'string' && /^#(?:\/|$)/.test($ref)) mapped['$ref'] = place + $ref.slice(1);
  return mapped;
}

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** Schemas of all operations. Those of tools have a dot in their names. */
const SHARED_SCHEMAS: Readonly<Record<string, unknown>> = {
  Result: {
    type: 'object',
    properties: {
      text: { ...text, description: 'The answer as text' },
      data: { description: "The tool's own output, where it is more than text" },
      content: { type: 'array', items: { type: 'object' }, description: 'The answer in pieces, as MCP has them' },
      truncated: {
        type: 'object',
        description: 'Set where the text was shortened: read the whole at /outputs/ID',
        properties: { from: { type: 'integer' }, to: { type: 'integer' }, id: text },
      },
      notices: { type: 'array', items: text },
      callId: text,
    },
    required: ['text'],
  },
  Waiting: {
    type: 'object',
    properties: {
      status: { const: 'waiting' },
      approval: { type: 'object', properties: { id: text, url: text }, required: ['id', 'url'] },
      idempotencyKey: { ...text, description: 'Send it as the header Idempotency-Key when you make the call again' },
      message: text,
    },
    required: ['status', 'approval', 'idempotencyKey', 'message'],
  },
  Approval: {
    type: 'object',
    properties: {
      id: text,
      tool: text,
      status: { enum: ['waiting', 'allowed', 'denied', 'expired', 'ended', 'spent'] },
      idempotencyKey: text,
      createdAt: time,
      expiresAt: time,
      reason: { ...text, description: 'Why it was denied' },
    },
    required: ['id', 'tool', 'status', 'idempotencyKey', 'createdAt', 'expiresAt'],
  },
  Output: {
    type: 'object',
    properties: {
      id: text,
      offset: { type: 'integer' },
      lines: { type: 'array', items: text },
      next: { type: 'integer', description: 'The offset of the next page; missing at the end' },
      total: { type: 'integer', description: 'Lines of the whole output' },
    },
    required: ['id', 'offset', 'lines', 'total'],
  },
  Failure: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { ...text, description: 'Stays the same where messages change' },
          message: text,
          tool: text,
          field: { ...text, description: 'The argument at fault' },
          reason: text,
          issues: {
            type: 'array',
            description: 'All that is wrong with the arguments',
            items: {
              type: 'object',
              properties: { path: { type: 'array', items: { type: ['string', 'integer'] } }, message: text },
              required: ['path', 'message'],
            },
          },
          recoverable: { type: 'boolean', description: 'Whether the same call may succeed later' },
        },
        required: ['code', 'message'],
      },
      callId: text,
    },
    required: ['error'],
  },
};

const json = (name: string): Readonly<Record<string, unknown>> => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});

/** Responses of all operations. */
const SHARED_RESPONSES: Readonly<Record<string, unknown>> = {
  Waiting: {
    description: 'A person must approve the call first. Look at Location, then make the call again.',
    headers: { Location: { schema: text }, 'Retry-After': { schema: { type: 'integer' } } },
    content: json('Waiting'),
  },
  Failure: {
    description: 'What went wrong, and what to change.',
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
    content: json('Failure'),
  },
};
