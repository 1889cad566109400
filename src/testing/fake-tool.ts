import { describeValue } from '../tool/texts/describe-value.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import type { ToolSchema } from '../tool/schema-types.ts';
import type { Tool } from '../tool/tool.ts';
import { makeTool } from '../tool/define/make-tool.ts';

/** A recorded call of a fake tool. */
export interface FakeCall {
  /** The arguments, validated and with defaults filled in. */
  readonly input: unknown;
  readonly context: ToolContext;
}

/** A tool that returns prepared answers and records its calls. */
export type FakeTool = Tool & {
  readonly calls: readonly FakeCall[];
  /** Forgets its calls and starts again with its first answer. */
  reset(): void;
};

/** The source of a fake: a real tool, whose schema and metadata it copies, or a name with other metadata. */
export type FakeSource = Tool | (Partial<ToolMetadata> & { readonly name: string; readonly schema?: ToolSchema });

/** Answers in turn, for `fakeTool`; a call beyond the last answer fails. */
export class AnswersInTurn {
  readonly answers: readonly unknown[];

  constructor(answers: readonly unknown[]) {
    this.answers = answers;
  }
}

/** Makes a fake give these answers one after the other. */
export function inTurn(...answers: readonly unknown[]): AnswersInTurn {
  return new AnswersInTurn(answers);
}

/**
 * Creates a fake of a tool. It validates like the real one, so a wrong call fails in the test too.
 *
 * It returns `answer` every time; a function computes it from the input, an error is thrown, `inTurn(…)` returns one
 * after the other.
 *
 * @example
 * const mail = fakeTool({ name: 'send_mail' }, 'sent');
 * await runAgent(agent, 'Write to Ada', { board: new ToolRegistry().register(mail) });
 * mail.calls[0]?.input; // { to: 'ada@example.com' }
 */
export function fakeTool(source: FakeSource, answer?: unknown): FakeTool {
  const calls: FakeCall[] = [];
  const { metadata, schema } = readSource(source);
  const tool = makeTool({
    metadata: { ...metadata },
    schema,
    run: (input: unknown, context) => {
      calls.push({ input, context });
      return toAnswer(answer, { input, context, count: calls.length, name: metadata.name });
    },
  });
  return Object.assign(tool, { calls, reset: () => void calls.splice(0) });
}

function readSource(source: FakeSource): { readonly metadata: ToolMetadata; readonly schema: ToolSchema } {
  if ('metadata' in source) return { metadata: source.metadata, schema: source.schema };
  const { schema = { type: 'object' }, description = `A fake of ${source.name}.`, ...rest } = source;
  return { metadata: { ...rest, description }, schema };
}

function toAnswer(answer: unknown, call: FakeCall & { readonly count: number; readonly name: string }): unknown {
  if (answer instanceof AnswersInTurn) {
    const { answers } = answer;
    if (call.count > answers.length) {
      throw new Error(
        `The fake "${call.name}" has ${answers.length} answers and was called once more, with ${describeValue(JSON.stringify(call.input), 200)}.`,
      );
    }
    return toAnswer(answers[call.count - 1], call);
  }
  if (answer instanceof Error) throw answer;
  return typeof answer === 'function' ? answer(call.input, call.context) : answer;
}
