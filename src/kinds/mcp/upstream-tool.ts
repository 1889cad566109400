import { isDeepStrictEqual } from 'node:util';
import type { OutgoingRequest } from '../../tool/calls/call-runtime.ts';
import { type ServerFacts, withServerFacts } from '../../tool/server-words.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { SERVED_MARK } from '../../tool/tool-marks.ts';
import type { ToolAnnotations, ToolMetadata, ToolRisk } from '../../tool/tool-metadata.ts';
import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';
import type { ToolContent, ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import {
  findParameterHeaders,
  type ParameterHeader,
  parameterHeaders,
} from '../../mcp/client/transports/header-values.ts';
import type { OfferedTool } from '../../mcp/client/offers/offered-items.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { ServedCall, type ServedCallParts } from './served-call.ts';
import { tolerateSchema } from './tolerate-schema.ts';

/** A tool of the board that a server runs, or the reason why there is none. */
export type UpstreamToolOutcome =
  | {
      readonly ok: true;
      readonly tool: Tool;
      readonly unchecked: readonly string[];
      readonly isOld: boolean;
    }
  | { readonly ok: false; readonly fault: string };

interface UpstreamToolParts {
  readonly server: SharedServer;
  readonly offered: OfferedTool;
  readonly metadata: Omit<ToolMetadata, 'description'> & { readonly description?: string | undefined };
  readonly trustHints: boolean | undefined;
  readonly keepsHidden: boolean;
}

interface KnownTool {
  readonly parts: UpstreamToolParts;
  readonly outcome: UpstreamToolOutcome;
}

const latest = new WeakMap<OfferedTool, Map<string, KnownTool>>();

/** Returns the board's tool for one that a server offers; the same object while nothing changes, even across reloads. */
export function upstreamTool(parts: UpstreamToolParts): UpstreamToolOutcome {
  const { server, offered, metadata, trustHints, keepsHidden } = parts;
  const byName = latest.get(offered) ?? new Map<string, KnownTool>();
  latest.set(offered, byName);
  const known = byName.get(metadata.name);
  const isSame =
    known?.parts.server === server &&
    known.parts.trustHints === trustHints &&
    known.parts.keepsHidden === keepsHidden &&
    isDeepStrictEqual(known.parts.metadata, metadata);
  const outcome = isSame ? known.outcome : makeUpstreamTool(parts);
  byName.set(metadata.name, { parts, outcome });
  return outcome;
}

function makeUpstreamTool(parts: UpstreamToolParts): UpstreamToolOutcome {
  const { server, offered, metadata, trustHints } = parts;
  const headers = headersOf(server, offered);
  if (!headers.ok) return headers;
  const text = (metadata.description ?? offered.description ?? offered.title ?? '').trim();
  const icons = metadata.icons ?? offered.icons;
  const title = metadata.displayName ?? offered.title;
  const displayName = title ?? titleOf(offered);
  const risk = metadata.risk ?? riskOf(offered, trustHints);
  const annotations = annotationsOf(offered, metadata);
  const _meta = offered._meta === undefined ? metadata._meta : { ...offered._meta, ...metadata._meta };
  const input = tolerateSchema(offered.inputSchema);
  const output = offered.outputSchema && tolerateSchema(offered.outputSchema);
  const full: ToolMetadata = {
    ...metadata,
    ...SERVED_MARK,
    kind: 'mcp',
    ...(icons === undefined ? {} : { icons }),
    ...(displayName === undefined ? {} : { displayName }),
    description: text === '' ? `The tool ${offered.name} of the MCP server ${server.settings.name}.` : text,
    ...(risk === undefined ? {} : { risk }),
    ...(isIdempotent(offered, parts) ? { idempotent: true } : {}),
    ...(annotations === undefined ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  };
  const facts: ServerFacts = {
    hasTitle: title !== undefined,
    hasRisk: metadata.risk !== undefined,
    keepsHidden: parts.keepsHidden,
    said: {
      ...(metadata.description === undefined && text !== offered.description && text !== ''
        ? { description: offered.description }
        : {}),
      ...(input.schema === offered.inputSchema ? {} : { inputSchema: offered.inputSchema }),
      ...(output === undefined || output.schema === offered.outputSchema ? {} : { outputSchema: offered.outputSchema }),
      ...(offered.execution === undefined ? {} : { execution: offered.execution }),
    },
  };
  const served: ServedCallParts = {
    server,
    tool: offered.name,
    name: metadata.name,
    needsTask: offered.execution?.['taskSupport'] === 'required',
    keepsHidden: parts.keepsHidden,
    request: requestOf(server.settings.name, offered.name),
  };
  const execute = (args: Record<string, unknown>, context: ToolContext): Promise<ToolResult> => {
    const call = new ServedCall(served, args, context);
    if (headers.headers.length > 0) call.headers = parameterHeaders(headers.headers, args);
    return server.call(call).then((given) => {
      const result = output === undefined ? given : readDeclaredData(given);
      call.checkAnswered();
      return parts.keepsHidden ? result : withoutDeceiving(result);
    });
  };
  try {
    const spec = { ...withServerFacts(full, facts), schema: input.schema, execute };
    const tool = defineTool(output === undefined ? spec : { ...spec, outputSchema: output.schema });
    const isOld = input.isOld || output?.isOld === true;
    return { ok: true, tool, unchecked: [...input.unchecked, ...(output?.unchecked ?? [])], isOld };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ok: false, fault: error.reason ?? error.message };
  }
}

function requestOf(server: string, tool: string): OutgoingRequest {
  return {
    to: `server ${server}`,
    name: `tools/call ${tool}`,
    attributes: () => ({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'pegboard.server.name': server,
    }),
  };
}

/** Parses the JSON text of a tool with an output schema whose server sends no data. Done here, before a long text is cut. */
function readDeclaredData(result: ToolResult): ToolResult {
  if (!result.ok || result.data !== undefined || !result.text.trimStart().startsWith('{')) return result;
  try {
    return result.with({ data: JSON.parse(result.text) });
  } catch {
    return result;
  }
}

/** Removes deceptive characters from the text for models. Code and people get the original. */
function withoutDeceiving(result: ToolResult): ToolResult {
  if (result.content === undefined && stripDeceiving(result.text) === result.text) return result;
  const texts = [result.text, ...(result.content ?? []).map(textOf)];
  const isClean = texts.every((text) => stripDeceiving(text) === text);
  return isClean ? result : result.with({ modelOutput: { ...result.modelOutput, stripsDeceiving: true } });
}

function textOf(block: ToolContent): string {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' ? (block.resource.text ?? '') : '';
}

/** Returns the server's hints with those of the board's entry. Exporters resolve contradictions with the risk. */
function annotationsOf(
  { annotations: said }: OfferedTool,
  { annotations: own, displayName }: UpstreamToolParts['metadata'],
): ToolAnnotations | undefined {
  const title = displayName === undefined || said?.title === undefined ? {} : { title: displayName };
  return said === undefined ? own : { ...said, ...title, ...own };
}

/** HTTP calls send some arguments as headers; a schema that requests that incorrectly makes the tool unusable there. */
function headersOf(
  { settings, manifest }: SharedServer,
  { inputSchema }: OfferedTool,
):
  | { readonly ok: true; readonly headers: readonly ParameterHeader[] }
  | { readonly ok: false; readonly fault: string } {
  if (settings.address.type === 'stdio' || manifest?.era !== 'modern') return { ok: true, headers: [] };
  return findParameterHeaders(inputSchema);
}

/**
 * Returns the risk according to the server. An untrusted server can raise the risk of a tool above the default but never lower it:
 * otherwise a tool could bypass a policy that allows readers.
 */
function riskOf({ annotations }: OfferedTool, isTrusted = false): ToolRisk | undefined {
  if (isTrusted && annotations?.['readOnlyHint'] === true) return 'read';
  if (annotations?.['destructiveHint'] === true) return 'destructive';
  return isTrusted ? 'write' : undefined;
}

/** Returns the config's value, or the server's hint if it is trusted. */
function isIdempotent({ annotations }: OfferedTool, { metadata, trustHints }: UpstreamToolParts): boolean {
  if (metadata.idempotent !== undefined) return metadata.idempotent !== false;
  return trustHints === true && annotations?.['idempotentHint'] === true;
}

function titleOf({ annotations }: OfferedTool): string | undefined {
  const title = annotations?.['title'];
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}
