import { isDeepStrictEqual } from 'node:util';
import { clientOf } from '../../tool/call-owner.ts';
import { answererOf, type Elicit, elicitorOf } from '../../tool/elicitation.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { SERVED_MARK } from '../../tool/tool-marks.ts';
import type { ToolMetadata, ToolRisk } from '../../tool/tool-metadata.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import {
  findParameterHeaders,
  type ParameterHeader,
  parameterHeaders,
} from '../../mcp/client/transports/header-values.ts';
import type { OfferedTool } from '../../mcp/client/offered-tool.ts';
import type { RequestListener } from '../../mcp/client/session/rpc-peer.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';

/** A tool of the board that a server runs, or why there is none; `note` is what its author should know. */
export type UpstreamToolOutcome =
  | { readonly ok: true; readonly tool: Tool; readonly note: string | undefined }
  | { readonly ok: false; readonly fault: string };

interface UpstreamToolParts {
  readonly server: SharedServer;
  readonly offered: OfferedTool;
  readonly metadata: Omit<ToolMetadata, 'description'> & { readonly description?: string | undefined };
  /** Whether what the server says about the risk is believed. */
  readonly trustHints: boolean | undefined;
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
  const { server, offered, metadata, trustHints, elicit } = parts;
  const byName = latest.get(offered) ?? new Map<string, KnownTool>();
  latest.set(offered, byName);
  const known = byName.get(metadata.name);
  const isSame =
    known?.parts.server === server &&
    known.parts.elicit === elicit &&
    known.parts.trustHints === trustHints &&
    isDeepStrictEqual(known.parts.metadata, metadata);
  const outcome = isSame ? known.outcome : makeUpstreamTool(parts);
  byName.set(metadata.name, { parts, outcome });
  return outcome;
}

function makeUpstreamTool(parts: UpstreamToolParts): UpstreamToolOutcome {
  const { server, offered, metadata, trustHints, elicit } = parts;
  const headers = headersOf(server, offered);
  if (!headers.ok) return headers;
  const text = (metadata.description ?? offered.description ?? offered.title ?? '').trim();
  const icons = metadata.icons ?? offered.icons;
  const displayName = metadata.displayName ?? offered.title ?? titleOf(offered);
  const risk = metadata.risk ?? riskOf(offered, trustHints);
  const full: ToolMetadata = {
    ...metadata,
    ...SERVED_MARK,
    kind: 'mcp',
    ...(icons === undefined ? {} : { icons }),
    ...(displayName === undefined ? {} : { displayName }),
    description: text === '' ? `The tool ${offered.name} of the MCP server ${server.settings.name}.` : text,
    ...(risk === undefined ? {} : { risk }),
  };
  const run = (input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> => {
    const wanted = headers.headers.length === 0 ? undefined : parameterHeaders(headers.headers, input);
    const { listener, interruption } = listenFor(full.name, { server, context, elicit });
    const answer = server.call({
      tool: offered.name,
      args: input,
      headers: wanted,
      listener,
      client: clientOf(context),
      signal: context.signal,
      untimed: (work) => context.untimed(work),
    });
    const call = offered.outputSchema === undefined ? answer : answer.then(readDeclaredData);
    const isAsked = listener.elicit !== undefined || listener.roots !== undefined;
    return isAsked ? call.then((result) => interruption() ?? result) : call;
  };
  return define(full, offered, run);
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

function define(
  metadata: ToolMetadata,
  { inputSchema, outputSchema }: OfferedTool,
  execute: (input: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>,
): UpstreamToolOutcome {
  const attempt = (schema: JsonSchema, output: JsonSchema | undefined): Tool =>
    defineTool({ ...metadata, schema, ...(output === undefined ? {} : { outputSchema: output }), execute });
  try {
    return { ok: true, tool: attempt(inputSchema, outputSchema), note: undefined };
  } catch (first) {
    if (!(first instanceof ToolError)) throw first;
    const reason = first.reason ?? first.message;
    for (const schema of [openSchema(inputSchema), { type: 'object' }]) {
      try {
        return { ok: true, tool: attempt(schema, undefined), note: `its schema is taken with less in it: ${reason}` };
      } catch {
        // The next one says less.
      }
    }
    return { ok: false, fault: reason };
  }
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

function listenFor(
  tool: string,
  { server, context, elicit }: Pick<UpstreamToolParts, 'server' | 'elicit'> & { readonly context: ToolContext },
): { readonly listener: RequestListener; readonly interruption: () => undefined } {
  const ask = elicitorOf(context) ?? elicit;
  const source = server.settings.name;
  let thrown: unknown;
  const noteThrown = async <T>(work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  const folders = server.settings.roots === false ? undefined : clientOf(context).roots;
  const isShown = folders !== undefined && (folders.isLocal || server.settings.roots === true);
  const listener: RequestListener = {
    onProgress: (done, total, message) => {
      context.putOffTimeout();
      context.progress(done, total, message);
    },
    onLog: (level, message) => {
      const { log } = context;
      if (level === 'debug') log.debug(message, { server: source });
      else if (level === 'info' || level === 'notice') log.info(message, { server: source });
      else if (level === 'warning') log.warn(message, { server: source });
      else log.error(message, { server: source });
    },
    answerer: ask === undefined ? undefined : answererOf(ask),
    elicit:
      ask === undefined
        ? undefined
        : async (question) => {
            // A server may know the board's secrets; who answers need not. Texts change, the shape does not.
            const request = JSON.parse(JSON.stringify(question), (_, value: unknown) =>
              typeof value === 'string' ? server.redact(value) : value,
            ) as typeof question;
            return noteThrown(() => ask(request, { tool, source, signal: context.signal }));
          },
    roots: isShown ? () => noteThrown(() => folders.list()) : undefined,
  };
  return {
    listener,
    interruption: () => {
      // A caller that will call again with the answer must not get what the server made of a no.
      if (thrown !== undefined) throw thrown instanceof Error ? thrown : new Error('The question was not answered.');
      return undefined;
    },
  };
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

function titleOf({ annotations }: OfferedTool): string | undefined {
  const title = annotations?.['title'];
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}

/** A copy of a schema in which a reference to another document allows any value: nothing is ever fetched. */
function openSchema(schema: JsonSchema): JsonSchema {
  const open = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(open);
    if (typeof node !== 'object' || node === null) return node;
    const isRemote = '$ref' in node && typeof node.$ref === 'string' && !node.$ref.startsWith('#');
    const entries = Object.entries(node).filter(([key]) => !(isRemote && key === '$ref'));
    return Object.fromEntries(entries.map(([key, value]) => [key, open(value)]));
  };
  // A copy of an object is one.
  return open(schema) as JsonSchema;
}
