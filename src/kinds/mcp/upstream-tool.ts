import type { StartedRequest } from '../../tool/call-requests.ts';
import { startRequest } from '../../tool/start-request.ts';
import { isDeepStrictEqual } from 'node:util';
import { type CallClient, clientOf } from '../../tool/call-owner.ts';
import { answererOf, type Elicit, elicitorOf, type ElicitRequest, type ElicitResult } from '../../tool/elicitation.ts';
import { type ServerFacts, withServerFacts } from '../../tool/server-words.ts';
import { CANCELLATION, type ToolContext } from '../../tool/tool-context.ts';
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
import type { OfferedTool } from '../../mcp/client/offered-tool.ts';
import type { UpstreamCall } from '../../mcp/client/session/call-tool.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
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
  const execute = (args: Record<string, unknown>, context: ToolContext): Promise<ToolResult> => {
    const call = new ServedCall(parts, args, context);
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

/** Reports of progress and log lines of one call that are passed on at once; then one for each gap, in milliseconds. */
const MOST_SAID = 500;
const SAYING_GAP = 20;
/** Characters of each of them. */
const MAX_REMARK = 10_000;

/** One call as its server gets it, with what its caller hears and answers. A class, as few calls hear anything. */
class ServedCall implements UpstreamCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly needsTask: boolean;
  headers: UpstreamCall['headers'];
  readonly client: CallClient;
  readonly signal: UpstreamCall['signal'];
  readonly answerer: object | undefined;
  readonly elicit: UpstreamCall['elicit'];
  readonly roots: UpstreamCall['roots'];
  readonly #context: ToolContext;
  readonly #parts: UpstreamToolParts;
  #thrown: unknown = undefined;
  /** What the server said lately, less what may be said meanwhile. */
  #said = 0;
  #saidAt = 0;
  #isCut = false;

  constructor(parts: UpstreamToolParts, args: Readonly<Record<string, unknown>>, context: ToolContext) {
    const { server, offered, elicit } = parts;
    this.#context = context;
    this.#parts = parts;
    this.tool = offered.name;
    this.args = args;
    this.needsTask = offered.execution?.['taskSupport'] === 'required';
    this.headers = undefined;
    this.client = clientOf(context);
    this.signal = context[CANCELLATION];
    const ask = elicitorOf(context) ?? elicit;
    this.answerer = ask === undefined ? undefined : answererOf(ask);
    this.elicit = ask === undefined ? undefined : (question) => this.#ask(ask, question);
    const folders = server.settings.roots === false ? undefined : this.client.roots;
    const isShown = folders !== undefined && (folders.isLocal || server.settings.roots === true);
    this.roots = isShown ? () => this.#noteThrown(() => folders.list()) : undefined;
  }

  startRequest(): StartedRequest | undefined {
    const { name } = this.#parts.server.settings;
    return startRequest(this.#context, {
      to: `server ${name}`,
      name: `tools/call ${this.tool}`,
      attributes: () => ({
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': this.tool,
        'pegboard.server.name': name,
      }),
    });
  }

  untimed<T>(work: Promise<T>): Promise<T> {
    return this.#context.untimed(work);
  }

  onProgress(done: number, total: number | undefined, message: string | undefined): void {
    this.#context.putOffTimeout();
    if (this.#isHeard()) this.#context.progress(done, total, message && this.#tidy(message));
  }

  onLog(level: string, said: string): void {
    const { log } = this.#context;
    if (!this.#isHeard()) return;
    const message = this.#tidy(said);
    const data = { server: this.#parts.server.settings.name };
    if (level === 'debug') log.debug(message, data);
    else if (level === 'info' || level === 'notice') log.info(message, data);
    else if (level === 'warning') log.warn(message, data);
    else log.error(message, data);
  }

  /** Whether what the server says now is passed on: one that never stops talking fills no caller's memory. */
  #isHeard(): boolean {
    const now = performance.now();
    const left = Math.max(0, this.#said - (now - this.#saidAt) / SAYING_GAP);
    if (left < MOST_SAID) {
      this.#said = left + 1;
      this.#saidAt = now;
      return true;
    }
    if (!this.#isCut) {
      const message = `The MCP server "${this.#parts.server.settings.name}" reports more than can be read: only a part is passed on.`;
      this.#context.log.warn(message);
    }
    this.#isCut = true;
    return false;
  }

  /** Without secrets and what deceives, and not longer than a remark. */
  #tidy(said: string): string {
    const text = said.length > MAX_REMARK ? `${this.#parts.server.redact(said).slice(0, MAX_REMARK)}…` : said;
    return this.#parts.keepsHidden ? text : stripDeceiving(text);
  }

  /** A caller that will call again with the answer must not get what the server made of a no: throws what stopped the question. */
  checkAnswered(): void {
    const thrown = this.#thrown;
    if (thrown !== undefined) throw thrown instanceof Error ? thrown : new Error('The question was not answered.');
  }

  #ask(ask: Elicit, question: ElicitRequest): Promise<ElicitResult> {
    const { server, metadata } = this.#parts;
    // A server may know the board's secrets; who answers need not. Texts change, the shape does not.
    const request = JSON.parse(JSON.stringify(question), (_, value: unknown) =>
      typeof value === 'string' ? server.redact(value) : value,
    ) as typeof question;
    const { signal, approval } = this.#context;
    const call = { tool: metadata.name, source: server.settings.name, signal, key: approval?.key };
    return this.#noteThrown(() => ask(request, call));
  }

  async #noteThrown<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#thrown = error;
      throw error;
    }
  }
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
