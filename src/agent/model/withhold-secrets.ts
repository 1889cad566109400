import type { Redactor } from '../../guard/secrets/redactor.ts';
import type { ModelReply, ModelRequest, OnDelta } from './model-reply.ts';

/** Returns the request without secrets in its prompts, history, results and tool definitions. */
export function withoutSecrets(request: ModelRequest): ModelRequest {
  const { redactor, system } = request;
  if (redactor.isEmpty) return request;
  return {
    ...request,
    system: system === undefined ? undefined : redactor.text(system),
    // A history grows: each message is redacted once.
    messages: request.messages.map((message) => redactor.part(message)),
    declared: request.declared.map((tool) => redactor.part(tool)),
    tools: Object.fromEntries(
      Object.entries(request.tools).map(([name, tool]) => {
        const { description } = tool;
        return [name, typeof description === 'string' ? { ...tool, description: redactor.text(description) } : tool];
      }),
    ),
  };
}

/** Returns the answer without secrets. The tool still gets the original arguments; the history does not. */
export function cleanReply(reply: ModelReply, redactor: Redactor): ModelReply {
  if (redactor.isEmpty) return reply;
  const { text, reasoning, message } = reply;
  return {
    ...reply,
    text: redactor.text(text),
    reasoning: redactor.text(reasoning),
    message: message === undefined ? undefined : redactor.part(message),
  };
}

/** Streams an answer without secrets, even those spread over several pieces. */
export function gateDeltas(
  redactor: Redactor,
  onDelta: OnDelta,
): { readonly onDelta: OnDelta; readonly end: () => void } {
  if (redactor.isEmpty) return { onDelta, end: () => {} };
  const gates = { text: redactor.gate(), reasoning: redactor.gate() };
  const tell = (type: 'text' | 'reasoning', text: string): void => {
    if (text !== '') onDelta(type, text);
  };
  return {
    onDelta: (type, text) => {
      // Reasoning ends when the answer begins.
      if (type === 'text') tell('reasoning', gates.reasoning.end());
      tell(type, gates[type].push(text));
    },
    end: () => {
      tell('reasoning', gates.reasoning.end());
      tell('text', gates.text.end());
    },
  };
}
