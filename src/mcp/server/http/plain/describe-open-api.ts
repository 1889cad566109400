import { isPlainObject, type JsonSchema } from '../../../../tool/json.ts';
import { serverFactsOf, wordsForModel } from '../../../../tool/server-words.ts';
import { isDiscoveryTool } from '../../../../tool/tool-marks.ts';
import { riskOf } from '../../../../tool/tool-metadata.ts';
import type { Tool } from '../../../../tool/tool.ts';
import { type McpTool, toMcpTools } from '../../../../export/mcp.ts';
import type { Caller } from '../../caller.ts';
import type { McpServer } from '../../mcp-server.ts';
import type { ToolView } from '../../tool-catalog.ts';
import { embedSchema } from './embed-schema.ts';
import { PLAIN_PATHS } from './plain-paths.ts';
import { SHARED_RESPONSES, SHARED_SCHEMAS } from './shared-components.ts';

const written = new WeakMap<ToolView, { readonly needsToken: boolean; readonly text: string }>();

/** The OpenAPI 3.1 document of the tools that a caller may use, as JSON; written once for each set of rights until the board changes. */
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

/** The schemas as the board understands them: what a server wrote otherwise may be of an older draft. */
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

/** Describes the paths beside tools: the state of a question, and outputs that were too large to return. */
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
