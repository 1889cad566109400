import { formatPath } from '../../tool/texts/explain-issues.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { type SchemaReader, readSchema } from '../../tool/schema/read-schema.ts';
import type { Agent } from '../define/agent.ts';
import type { ModelReply } from '../model/model-reply.ts';
import type { AgentFailure } from './agent-result.ts';

/** The verdict about a reply without calls: it is the answer, the run has failed, or the model must write it again. */
type Verdict =
  | { readonly type: 'valid'; readonly output: unknown }
  | { readonly type: 'failed'; readonly outcome: AgentFailure; readonly reason: string }
  | { readonly type: 'invalid'; readonly reason: string };

/** Reads the output schema of an agent. Throws `invalid_arguments` for one that cannot be used. */
export function readOutput({ name, output }: Agent): SchemaReader | undefined {
  if (output === undefined) return undefined;
  try {
    const reader = readSchema(output);
    reader.jsonSchema();
    return reader;
  } catch (cause) {
    const message = `The agent "${name}" has an output schema that cannot be used: ${messageOf(cause)}`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'output', cause });
  }
}

/** Judges a reply without calls; `isFirst` in the first step of the run. */
export async function judgeAnswer(
  { finishReason, text }: ModelReply,
  { agent: { toolChoice }, output }: { readonly agent: Agent; readonly output: SchemaReader | undefined },
  isFirst: boolean,
): Promise<Verdict> {
  const fail = (outcome: AgentFailure, reason: string): Verdict => ({ type: 'failed', outcome, reason });
  switch (finishReason) {
    case 'length':
      return fail(
        'cut_off',
        'The answer was cut off at the output limit of the model. Raise maxOutputTokens, or ask for less.',
      );
    case 'content-filter':
      return fail('filtered', "The provider's content filter stopped the answer.");
    case 'error':
      return fail('model_failed', 'The provider ended the answer with an error.');
    default:
  }
  if (isFirst && toolChoice !== 'auto' && toolChoice !== 'none') {
    const what = toolChoice === 'required' ? 'a tool' : `the tool "${toolChoice.tool}"`;
    const message = `The model had to call ${what} first but answered without it. Use a model that obeys toolChoice, or set it to auto.`;
    return fail('model_failed', message);
  }
  return output === undefined ? { type: 'valid', output: text } : checkOutput(output, text);
}

/** Parses an answer as JSON, even inside a code block, and validates it. */
async function checkOutput(schema: SchemaReader, text: string): Promise<Verdict> {
  const body = /^\s*```(?:json)?\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    return { type: 'invalid', reason: `it is not JSON: ${messageOf(error)}.` };
  }
  const validation = await schema.validate(value);
  if (validation.ok) return { type: 'valid', output: validation.value };
  const issues = validation.issues.map(({ path, message }) => `${formatPath(path) || 'it'}: ${message}`);
  return { type: 'invalid', reason: issues.join('; ') };
}
