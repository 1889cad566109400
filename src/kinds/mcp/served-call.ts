import type { OutgoingRequest, StartedRequest } from '../../tool/calls/call-runtime.ts';
import { type CallClient, clientOf, logLevelOf, startRequest } from '../../tool/calls/call-owner.ts';
import type { ElicitRequest, ElicitResult, QuestionOrigin } from '../../tool/calls/elicitation.ts';
import { CANCELLATION, type ToolContext } from '../../tool/tool-context.ts';
import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';
import type { UpstreamCall } from '../../mcp/client/session/call-tool.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';

export interface ServedCallParts {
  readonly server: SharedServer;
  /** The server's name for it: a tool, or the name under which a request is stored. */
  readonly tool: string;
  /** The board's name for it. */
  readonly name: string;
  readonly needsTask?: boolean;
  readonly keepsHidden: boolean;
  /** The request for records and spans, shared by all calls of a tool; undefined if it is not recorded. */
  readonly request?: OutgoingRequest | undefined;
}

/** Progress reports and log lines that one call passes on at once; after that, one per interval in milliseconds. */
const MESSAGE_BURST = 500;
const MESSAGE_GAP = 20;
/** Characters of one report or line. */
const MAX_REMARK = 10_000;

/** One call to a server, with the caller's listeners and answers. */
export class ServedCall implements UpstreamCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly needsTask: boolean;
  headers: UpstreamCall['headers'] = undefined;
  readonly client: CallClient;
  readonly signal: UpstreamCall['signal'];
  readonly answerer: object | undefined;
  readonly elicit: UpstreamCall['elicit'];
  readonly sample: UpstreamCall['sample'];
  readonly roots: UpstreamCall['roots'];
  readonly openPage: UpstreamCall['openPage'];
  readonly logLevel: string | undefined;
  readonly addressOf: UpstreamCall['addressOf'];
  readonly #context: ToolContext;
  readonly #parts: ServedCallParts;
  #thrown: unknown = undefined;
  /** Recent messages, reduced over time. */
  #recent = 0;
  #countedAt = 0;
  #hasWarned = false;

  constructor(parts: ServedCallParts, args: Readonly<Record<string, unknown>>, context: ToolContext) {
    const { server } = parts;
    this.#context = context;
    this.#parts = parts;
    this.tool = parts.tool;
    this.args = args;
    this.needsTask = parts.needsTask === true;
    this.client = clientOf(context);
    this.signal = context[CANCELLATION];
    this.logLevel = logLevelOf(context);
    this.addressOf = server.addressOf;
    const { ask } = server.host;
    const reach = ask.reach(context);
    const person = server.mayAskFor('elicitation') ? reach.person : undefined;
    const model = server.mayAskFor('sampling') ? reach.model : undefined;
    this.answerer = (person ?? model)?.answerer;
    this.elicit = person && ((question) => this.#elicit(question));
    this.sample =
      model && ((request) => this.#noteThrown(() => ask({ kind: 'sample', request, origin: this.#origin }, context)));
    this.openPage =
      server.users !== undefined && reach.person?.opensPages === true
        ? ({ url, ...words }) =>
            this.#noteThrown(() => ask({ kind: 'login', url, page: { ...words, origin: this.#origin } }, context))
        : undefined;
    const folders = this.client.roots;
    const isShown =
      folders !== undefined && server.mayAskFor('roots') && (folders.isLocal || server.settings.roots === true);
    this.roots = isShown ? () => this.#noteThrown(() => folders.list()) : undefined;
  }

  startRequest(): StartedRequest | undefined {
    const { request } = this.#parts;
    return request === undefined ? undefined : startRequest(this.#context, request);
  }

  untimed<T>(work: Promise<T>): Promise<T> {
    return this.#context.untimed(work);
  }

  onProgress(done: number, total: number | undefined, message: string | undefined): void {
    this.#context.putOffTimeout();
    if (this.#mayForward()) this.#context.progress(done, total, message && this.#tidy(message));
  }

  onLog(level: string, said: string): void {
    const { log } = this.#context;
    if (!this.#mayForward()) return;
    const message = this.#tidy(said);
    const data = { server: this.#parts.server.settings.name };
    if (level === 'debug') log.debug(message, data);
    else if (level === 'info' || level === 'notice') log.info(message, data);
    else if (level === 'warning') log.warn(message, data);
    else log.error(message, data);
  }

  /** Returns true when a message may be passed on: endless messages must not fill the caller's memory. */
  #mayForward(): boolean {
    const now = performance.now();
    const left = Math.max(0, this.#recent - (now - this.#countedAt) / MESSAGE_GAP);
    if (left < MESSAGE_BURST) {
      this.#recent = left + 1;
      this.#countedAt = now;
      return true;
    }
    if (!this.#hasWarned) {
      const message = `The MCP server "${this.#parts.server.settings.name}" reports more than can be read: only a part is passed on.`;
      this.#context.log.warn(message);
    }
    this.#hasWarned = true;
    return false;
  }

  /** Removes secrets and deceptive characters, and limits the length. */
  #tidy(said: string): string {
    const text = said.length > MAX_REMARK ? `${this.#parts.server.host.redact(said).slice(0, MAX_REMARK)}…` : said;
    return this.#parts.keepsHidden ? text : stripDeceiving(text);
  }

  /** Throws the error that interrupted a question: a caller that repeats the call with the answer must not get the result of a refusal. */
  checkAnswered(): void {
    const thrown = this.#thrown;
    if (thrown !== undefined) throw thrown instanceof Error ? thrown : new Error('The question was not answered.');
  }

  #elicit(question: ElicitRequest): Promise<ElicitResult> {
    const { server } = this.#parts;
    // A server may know the board's secrets, but the person who answers should not see them. Only strings are changed.
    const request = JSON.parse(JSON.stringify(question), (_, value: unknown) =>
      typeof value === 'string' ? server.host.redact(value) : value,
    ) as typeof question;
    return this.#noteThrown(() => server.host.ask({ kind: 'question', request, origin: this.#origin }, this.#context));
  }

  get #origin(): QuestionOrigin {
    const { server, name } = this.#parts;
    const { signal, approval } = this.#context;
    return { tool: name, source: server.settings.name, signal, key: approval?.key };
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
