import { isDeepStrictEqual } from 'node:util';
import type { OutgoingRequest } from '../../tool/calls/call-requests.ts';
import type { Elicit } from '../../tool/calls/elicitation.ts';
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
import type { OfferedTool } from '../../mcp/client/offers/offered-tool.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { ServedCall, type ServedCallParts } from './served-call.ts';
import { tolerateSchema } from './tolerate-schema.ts';

/** A tool of the board that a server runs, or why there is none. */
export type UpstreamToolOutcome =
  | {
      readonly ok: true;
      readonly tool: Tool;
      /** The parts of its schemas that are not understood. */
      readonly unchecked: readonly string[];
      /** Whether its schemas are of draft-04. */
      readonly isOld: boolean;
    }
  | { readonly ok: false; readonly fault: string };

interface UpstreamToolParts {
  readonly server: SharedServer;
  readonly offered: OfferedTool;
  readonly metadata: Omit<ToolMetadata, 'description'> & { readonly description?: string | undefined };
  /** Whether what the server says about the risk is believed. */
  readonly trustHints: boolean | undefined;
  /** Whether models get hidden characters of its words and results. */
  readonly keepsHidden: boolean;
  /** Answers the server's questions when the caller of the tool cannot. */
  readonly elicit: Elicit | undefined;
}

interface KnownTool {
  readonly parts: UpstreamToolParts;
  readonly outcome: UpstreamToolOutcome;
}

const latest = new WeakMap<OfferedTool, Map<string, KnownTool>>();

/** The board's tool for one that a server offers; the same object while nothing about it changes, over reloads too. */
export function upstreamTool(parts: UpstreamToolParts): UpstreamToolOutcome {
  const { server, offered, metadata, trustHints, keepsHidden, elicit } = parts;
  const byName = latest.get(offered) ?? new Map<string, KnownTool>();
  latest.set(offered, byName);
  const known = byName.get(metadata.name);
  const isSame =
    known?.parts.server === server &&
    known.parts.elicit === elicit &&
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
    elicit: parts.elicit,
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

/** A call as records and spans have it. */
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

/** A tool with an output schema owes data; some servers give its JSON as text only. Read here, before a long text is cut. */
function readDeclaredData(result: ToolResult): ToolResult {
  if (!result.ok || result.data !== undefined || !result.text.trimStart().startsWith('{')) return result;
  try {
    return result.with({ data: JSON.parse(result.text) });
  } catch {
    return result;
  }
}

/** A result whose text models get without what deceives in it. Code and people get it whole. */
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

/** The server's hints, with what the board's own entry says. Whether the risk contradicts them is for exporters to say. */
function annotationsOf(
  { annotations: said }: OfferedTool,
  { annotations: own, displayName }: UpstreamToolParts['metadata'],
): ToolAnnotations | undefined {
  const title = displayName === undefined || said?.title === undefined ? {} : { title: displayName };
  return said === undefined ? own : { ...said, ...title, ...own };
}

/** Calls through HTTP carry some arguments as headers; a schema that asks for that wrongly makes the tool unusable there. */
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
 * What the server says about the risk. A server that is not trusted can make a tool look worse than one of which nothing is
 * known, never better: a policy that lets readers pass must not be talked round by the tool itself.
 */
function riskOf({ annotations }: OfferedTool, isTrusted = false): ToolRisk | undefined {
  if (isTrusted && annotations?.['readOnlyHint'] === true) return 'read';
  if (annotations?.['destructiveHint'] === true) return 'destructive';
  return isTrusted ? 'write' : undefined;
}

/** What the config says; what the server says only where its hints are trusted. */
function isIdempotent({ annotations }: OfferedTool, { metadata, trustHints }: UpstreamToolParts): boolean {
  if (metadata.idempotent !== undefined) return metadata.idempotent !== false;
  return trustHints === true && annotations?.['idempotentHint'] === true;
}

function titleOf({ annotations }: OfferedTool): string | undefined {
  const title = annotations?.['title'];
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}
