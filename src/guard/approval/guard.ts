import type { GuardRequest } from '../../tool/call-bounds.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { riskOf, type ToolRisk } from '../../tool/tool-metadata.ts';
import { approvalMessage } from './approval-message.ts';
import type { Policy } from '../policy/policy.ts';
import { refuseByPerson, refuseEnded, refuseTool, refuseUnanswered, refuseUnasked } from './refusals.ts';
import { declaredNames, showArgument } from './show-argument.ts';

/** The call that a person is asked about. */
export interface ApprovalRequest {
  /** The tool's name. */
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** The arguments as a person reads them: whole, hidden characters spelt out. */
  readonly args: unknown;
  /** The arguments as they are. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The names of arguments that the tool's schema declares, in its order. */
  readonly declared: readonly string[];
  /** The tool's own words for the question, with `{argument}` where a value belongs. */
  readonly template?: string | undefined;
  /** The whole question: every argument, or beyond 20,000 characters a clear note of what is left out. */
  readonly message: string;
  readonly callId: string;
  readonly context: ToolContext;
  /** Aborts when the call is over and an answer no longer matters. */
  readonly signal: AbortSignal;
}

/** A no with its reason in the person's own words. */
export interface Denial {
  /** What the model gets to read. */
  readonly reason: string;
}

/** The answer of a person, or `'unavailable'` where no one can be asked. Every other value but `true` is a no. */
export type ApprovalAnswer = boolean | 'unavailable' | Denial;

/** Asks a person whether a call may run. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** Who is asked, and in which words. */
export interface GuardOptions {
  readonly approve?: Approve | undefined;
  /** The tool's own question, with `{argument}` where a value belongs. */
  readonly confirmMessage?: ((request: GuardRequest) => string | undefined | Promise<string | undefined>) | undefined;
  /** Takes secrets out of the question. Default: the question is shown as it is. */
  readonly redact?: ((value: unknown) => unknown) | undefined;
}

/** Makes the guard of a policy: it gives the error that refuses a call, or nothing. Calls do not wait for each other. */
export function createGuard(
  policy: Policy,
  options: GuardOptions = {},
): (request: GuardRequest) => Promise<ToolError | undefined> {
  return async (request) => {
    const { tool, args } = request;
    // To look around needs no leave; the call it leads to comes by here under its own name.
    if (isDiscoveryTool(tool)) return undefined;
    const decision = policy.allows(tool);
    if (!decision.ok) return refuseTool(tool, decision.reason);
    const issues = policy.check(tool, args);
    if (issues.length > 0) return new ToolError(explainIssues(tool, issues));
    if (!policy.needsApproval(tool)) return undefined;
    const { approve } = options;
    const unasked = policy.headless === 'approve' ? undefined : refuseUnasked(tool);
    if (approve === undefined) return unasked;
    const answered = await ask(request, approve, async () => approve(await writeRequest(request, options)));
    return answered === 'unavailable' ? unasked : answered;
  };
}

/** Waits for the answer, but not past the call's end. A function that has answered for this call is not asked again. */
async function ask(
  { tool, signal, answers }: GuardRequest,
  approve: Approve,
  answer: () => Promise<unknown>,
): Promise<ToolError | 'unavailable' | undefined> {
  const { name } = tool.metadata;
  if (signal.aborted) return refuseEnded(name, signal);
  const over = Promise.withResolvers<false>();
  const stop = (): void => over.resolve(false);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const given = answers.has(approve) ? answers.get(approve) : await Promise.race([answer(), over.promise]);
    // A yes that comes with the end is too late.
    if (signal.aborted) return refuseEnded(name, signal);
    // The pipeline lets every guard judge once more: while a person made up their mind a folder may have become a link.
    answers.set(approve, given);
    if (given === 'unavailable') return 'unavailable';
    return given === true ? undefined : refuseByPerson(name, reasonOf(given));
  } catch (cause) {
    return signal.aborted ? refuseEnded(name, signal) : refuseUnanswered(name, cause);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The words of a no, if it has any; an `approve` of the user's may give anything. */
function reasonOf(answer: unknown): string | undefined {
  return isPlainObject(answer) && typeof answer['reason'] === 'string' ? answer['reason'] : undefined;
}

async function writeRequest(request: GuardRequest, options: GuardOptions): Promise<ApprovalRequest> {
  const { tool, args, context, callId, signal } = request;
  const { name, description } = tool.metadata;
  const { redact = (value: unknown) => value } = options;
  // Texts change, shapes do not. What runs are the arguments as they are.
  const shown = redact({ description, input: args, template: await options.confirmMessage?.(request) }) as {
    description: string;
    input: GuardRequest['args'];
    template: string | undefined;
  };
  const { input, template } = shown;
  const call = { tool: name, risk: riskOf(tool), input, declared: declaredNames(tool.inputSchema), template };
  const message = String(redact(approvalMessage(call)));
  return { ...call, description: shown.description, args: showArgument(input), message, callId, context, signal };
}
