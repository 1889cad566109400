import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { checkResponses, type KnownItems, sendResponses } from './loopback-responses.test-helper.ts';

/** A tool call in the reply. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** A string is sent unchanged. */
  readonly input: object | string;
}

/** One reply of the provider. */
export interface WireReply {
  readonly text?: string;
  readonly calls?: readonly WireCall[];
  /** Fails with this status instead. */
  readonly status?: number;
  /** Closes the connection in the middle of the last call's arguments. */
  readonly dies?: boolean;
}

/** A received request. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // The requests are JSON of several providers; each test knows its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A local server that answers like OpenAI's two APIs and Anthropic's Messages API. */
export interface LoopbackProvider {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  close(): Promise<void>;
}

/** Starts the server. A request that breaks the provider's rules is answered with 400 and the reason. */
export async function startProvider(
  reply: (request: WireRequest, number: number) => WireReply,
): Promise<LoopbackProvider> {
  const requests: WireRequest[] = [];
  const known: KnownItems = new Map();
  const server = createServer((message, response) => {
    void (async () => {
      const request: WireRequest = {
        path: message.url ?? '',
        headers: message.headers,
        body: await json(message),
      };
      requests.push(request);
      const isStreamed = request.body.stream === true;
      if (request.path.endsWith('/responses')) {
        const fault = checkResponses(request.body, known);
        if (fault !== undefined) return sendError(response, 400, fault);
        const given = reply(request, requests.length);
        if (given.status !== undefined) return sendError(response, given.status, `status ${given.status}`);
        return sendResponses(response, given, { isStreamed, known });
      }
      const isAnthropic = request.path.endsWith('/messages');
      const fault = isAnthropic ? checkAnthropic(request.body) : checkOpenAI(request.body);
      if (fault !== undefined) return sendError(response, 400, fault);
      const given = reply(request, requests.length);
      if (given.status !== undefined) return sendError(response, given.status, `status ${given.status}`);
      if (isAnthropic) sendAnthropic(response, given, isStreamed);
      else sendOpenAI(response, given, isStreamed);
    })();
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((settle) => void server.close(() => settle()));
    },
  };
}

interface OpenAIMessage {
  readonly role: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** Checks OpenAI's rules: every call is answered once, right after it; no answer without a call; only allowed names. */
function checkOpenAI({
  messages,
  tools = [],
}: {
  messages: readonly OpenAIMessage[];
  tools?: readonly { function: { name: string } }[];
}): string | undefined {
  const bad = tools.find(({ function: { name } }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  if (bad !== undefined) return `bad tool name ${bad.function.name}`;
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      // The API accepts any order; we promise that of the calls.
      if (open.shift() !== message.tool_call_id) return `tool message for ${message.tool_call_id} out of place`;
      continue;
    }
    if (open.length > 0) return `tool calls without answers: ${open.join(', ')}`;
    for (const call of message.tool_calls ?? []) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name)) return `bad name ${call.function.name} in a call`;
      try {
        JSON.parse(call.function.arguments);
      } catch {
        return `arguments of ${call.id} are no JSON`;
      }
    }
    open = (message.tool_calls ?? []).map(({ id }) => id);
    if (new Set(open).size !== open.length) return `the same id twice: ${open.join(', ')}`;
  }
  return open.length > 0 ? `tool calls without answers: ${open.join(', ')}` : undefined;
}

interface AnthropicBody {
  readonly max_tokens?: number;
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly {
      readonly type: string;
      readonly id?: string;
      readonly name?: string;
      readonly tool_use_id?: string;
      readonly input?: unknown;
    }[];
  }[];
}

/** Checks Anthropic's rules: turns alternate, and the turn after calls begins with the answers to all of them. */
function checkAnthropic({ max_tokens, messages }: AnthropicBody): string | undefined {
  if (typeof max_tokens !== 'number') return 'max_tokens is missing';
  let [open, last]: [string[], string] = [[], 'assistant'];
  for (const { role, content } of messages) {
    if (role === last) return `two turns of ${role} in a row`;
    last = role;
    const answers = content.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
    if (JSON.stringify(answers) !== JSON.stringify(open))
      return `answers ${answers.join(', ')} to calls ${open.join(', ')}`;
    if (content.slice(0, answers.length).some(({ type }) => type !== 'tool_result')) return 'answers must come first';
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.some(({ input }) => typeof input !== 'object' || Array.isArray(input))) return 'input must be an object';
    if (calls.some(({ name = '' }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))) return 'bad name in a call';
    open = calls.map(({ id }) => id ?? '');
  }
  return open.length > 0 ? 'calls without answers' : undefined;
}

function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'loopback', message } }));
}

const toText = (input: object | string): string => (typeof input === 'string' ? input : JSON.stringify(input));

function sendOpenAI(response: ServerResponse, { text, calls = [], dies }: WireReply, isStreamed: boolean): void {
  const base = { id: 'chatcmpl-1', created: 1, model: 'loop-1' };
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    total_tokens: 110,
    prompt_tokens_details: { cached_tokens: 40 },
  };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const toolCalls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: toText(input) },
  }));
  if (!isStreamed) {
    if (dies === true) return void response.destroy();
    const message = {
      role: 'assistant',
      content: text ?? null,
      ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(
      JSON.stringify({ ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }),
    );
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, more: object = {}): void =>
    void response.write(
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`,
    );
  send({ role: 'assistant', content: '' });
  for (const piece of (text ?? '').match(/\S+\s*/g) ?? []) send({ content: piece });
  for (const [index, call] of toolCalls.entries()) {
    const { arguments: args } = call.function;
    const half = Math.ceil(args.length / 2);
    send({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: args.slice(0, half) } }] });
    // After half of it has been sent.
    if (dies === true && index === toolCalls.length - 1) return void response.write('\n', () => response.destroy());
    send({ tool_calls: [{ index, function: { arguments: args.slice(half) } }] });
  }
  send({}, { finish_reason });
  response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function sendAnthropic(response: ServerResponse, { text, calls = [], dies }: WireReply, isStreamed: boolean): void {
  const base = { id: 'msg_1', type: 'message', role: 'assistant', model: 'loop-1', stop_sequence: null };
  const usage = { input_tokens: 60, output_tokens: 10, cache_read_input_tokens: 40, cache_creation_input_tokens: 0 };
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  const blocks = [
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input })),
  ];
  if (!isStreamed) {
    if (dies === true) return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ ...base, content: blocks, stop_reason, usage }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: { readonly type: string }): void =>
    void response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const block = (index: number, more: object): void =>
    send({ type: 'content_block_delta', index, ...more } as { type: string });
  send({
    type: 'message_start',
    message: { ...base, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  } as { type: string });
  for (const [index, part] of blocks.entries()) {
    const isText = part.type === 'text';
    send({
      type: 'content_block_start',
      index,
      content_block: isText ? { ...part, text: '' } : { ...part, input: {} },
    } as { type: string });
    const whole = isText ? part.text : toText(part.input);
    const half = Math.ceil(whole.length / 2);
    const delta = (piece: string): object => ({
      delta: isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece },
    });
    block(index, delta(whole.slice(0, half)));
    if (dies === true && index === blocks.length - 1) return void response.write('\n', () => response.destroy());
    block(index, delta(whole.slice(half)));
    send({ type: 'content_block_stop', index } as { type: string });
  }
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } } as {
    type: string;
  });
  send({ type: 'message_stop' });
  response.end();
}
