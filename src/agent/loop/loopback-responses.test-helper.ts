import type { ServerResponse } from 'node:http';
import type { WireReply } from './loopback-provider.test-helper.ts';

interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly call_id?: string;
}

/** Items of earlier responses by id: requests may reference them instead of sending them. */
export type KnownItems = Map<string, string | undefined>;

/** Checks the rules of OpenAI's Responses API: every function call is answered once, in order; references exist. */
export function checkResponses(
  { input }: { readonly input: readonly InputItem[] },
  known: KnownItems,
): string | undefined {
  const open: string[] = [];
  for (const item of input) {
    if (item.type === 'item_reference' && !known.has(item.id ?? '')) return `no item ${item.id}`;
    if (item.type === 'function_call_output') {
      if (open.shift() !== item.call_id) return `output of ${item.call_id} out of place`;
      continue;
    }
    const called =
      item.type === 'item_reference'
        ? known.get(item.id ?? '')
        : item.type === 'function_call'
          ? item.call_id
          : undefined;
    if (called !== undefined) open.push(called);
    else if (item.role === 'user' && open.length > 0) return `calls without output: ${open.join(', ')}`;
  }
  return open.length > 0 ? `calls without output: ${open.join(', ')}` : undefined;
}

/** Answers like the Responses API and remembers the items. */
export function sendResponses(
  response: ServerResponse,
  { text, calls = [], dies }: WireReply,
  { isStreamed, known }: { readonly isStreamed: boolean; readonly known: KnownItems },
): void {
  const turn = known.size;
  const output = [
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${turn}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map(({ id, name, input }, index) => ({
      type: 'function_call',
      id: `fc_${turn}_${index}`,
      call_id: id,
      name,
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
      status: 'completed',
    })),
  ];
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const base = { id: `resp_${turn}`, object: 'response', created_at: 1, model: 'loop-1' };
  if (dies !== true) for (const item of output) known.set(item.id, 'call_id' in item ? item.call_id : undefined);
  if (!isStreamed) {
    if (dies === true) return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ ...base, status: 'completed', output, usage, incomplete_details: null }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: object): void => void response.write(`data: ${JSON.stringify(event)}\n\n`);
  send({ type: 'response.created', response: base });
  for (const [output_index, item] of output.entries()) {
    const isCall = 'arguments' in item;
    send({
      type: 'response.output_item.added',
      output_index,
      item: isCall ? { ...item, arguments: '', status: 'in_progress' } : { ...item, content: [] },
    });
    const whole = isCall ? item.arguments : (text ?? '');
    const type = isCall ? 'response.function_call_arguments.delta' : 'response.output_text.delta';
    const half = Math.ceil(whole.length / 2);
    send({ type, item_id: item.id, output_index, delta: whole.slice(0, half) });
    if (dies === true && output_index === output.length - 1) return void response.write('\n', () => response.destroy());
    send({ type, item_id: item.id, output_index, delta: whole.slice(half) });
    send({ type: 'response.output_item.done', output_index, item });
  }
  send({ type: 'response.completed', response: { ...base, usage, incomplete_details: null } });
  response.end('data: [DONE]\n\n');
}
