import type {
  ApprovalOutcome,
  ApprovalRequest,
  ApprovalTerms,
  Approve,
  KeptAnswer,
  KeptQuestion,
} from '../../tool/calls/approval.ts';
import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { raisedTo, riskOfCall } from '../../tool/parameters/call-risk.ts';
import { mayRepeat } from '../../tool/tool-metadata.ts';
import { approvalMessage, declaredNames, showArgument } from './approval-message.ts';
import { refuseByPerson, refuseEnded, refuseUnasked, refuseUndeferred, refuseUnanswered } from './refusals.ts';

/** Options for asking a person about a call. */
export interface ApprovalOptions {
  /** Asks instead of the people of the board, for code that runs an agent. */
  readonly approve?: Approve | undefined;
  /** Default: a call is refused when no one can be asked, and a question expires after a day. */
  readonly terms?: Partial<ApprovalTerms> | undefined;
  /** The tool's own question, with `{argument}` placeholders for values. */
  readonly confirmMessage?: ((request: GuardRequest) => string | undefined | Promise<string | undefined>) | undefined;
}

const DAY = 24 * 60 * 60_000;

/** Asks a person to approve a call. */
export async function askApproval(request: GuardRequest, options: ApprovalOptions = {}): Promise<ApprovalOutcome> {
  const { headless = 'deny', expires = DAY, ...others } = options.terms ?? {};
  const { approver } = clientOf(request.context);
  const approve = options.approve ?? (approver === undefined ? request.asking?.keeper : approver)?.approve;
  const write = (): Promise<ApprovalRequest> => writeRequest(request, options);
  const answered = await askInTime(request, { approve, terms: { ...others, headless, expires }, write });
  if (answered !== 'unavailable') return answered;
  if (headless === 'approve') return { allow: true };
  return refusal(refuseUnasked(request.tool, request.args, request.asking?.keeper !== undefined));
}

async function writeRequest(request: GuardRequest, { confirmMessage }: ApprovalOptions): Promise<ApprovalRequest> {
  const { tool, args, context, callId, signal, asking } = request;
  const { name, description } = tool.metadata;
  const redact = (value: unknown): unknown => (asking === undefined ? value : asking.redact(value));
  // Redaction changes texts, not shapes. The tool gets the original arguments.
  const shown = redact({ description, input: args, template: await confirmMessage?.(request) }) as {
    description: string;
    input: GuardRequest['args'];
    template: string | undefined;
  };
  const { input, template } = shown;
  const risk = riskOfCall(tool, args);
  const raisedBy = raisedTo(tool, args, risk);
  const call = {
    tool: name,
    risk,
    input,
    declared: declaredNames(tool.inputSchema),
    template,
    ...(raisedBy.length === 0 ? {} : { raisedBy }),
  };
  const message = String(redact(approvalMessage(call)));
  return { ...call, description: shown.description, args: showArgument(input), message, callId, context, signal };
}

/** The people to ask, the time limit, and the text. */
interface Asked {
  readonly approve: Approve | undefined;
  readonly terms: ApprovalTerms;
  readonly write: () => Promise<ApprovalRequest>;
}

/**
 * Asks and waits for the answer, at most until the call ends. Never asks a function twice about the same call. A call that does not wait
 * for answers asks only the board's keeper.
 */
async function askInTime(request: GuardRequest, asked: Asked): Promise<ApprovalOutcome | 'unavailable'> {
  const { tool, signal, answers, asking } = request;
  const { name } = tool.metadata;
  // A function that answers at once, as `--yes` does, needs no waiting question.
  const isAnsweredAtOnce = asking?.onWait !== undefined && asked.approve?.isAutomatic === true;
  const isDeferred = asking?.options.defer === true && !isAnsweredAtOnce;
  const keeper = asking?.keeper;
  // The policy allows calls when no one can be asked, deferred or not.
  if (isDeferred && asked.approve === undefined && asked.terms.headless === 'approve') return 'unavailable';
  if (isDeferred && keeper === undefined) return refusal(refuseUndeferred(tool, request.args));
  const approve = isDeferred ? undefined : asked.approve;
  const asker = approve ?? keeper;
  if (asker === undefined) return 'unavailable';
  if (signal.aborted) return refusal(refuseEnded(name, signal));
  const over = Promise.withResolvers<undefined>();
  const stop = (): void => over.resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (!answers.has(asker)) {
      asking?.enter('person');
      const given = await Promise.race([
        answer(request, { ...asked, approve, deferred: isDeferred ? asked.approve : undefined }),
        over.promise,
      ]);
      asking?.enter('guard');
      // An approval after the end is too late.
      if (given === undefined || signal.aborted) return refusal(refuseEnded(name, signal));
      // The pipeline lets every guard judge again: a folder may have become a link meanwhile.
      answers.set(asker, await take(given, request, asker));
    }
    if (signal.aborted) return refusal(refuseEnded(name, signal));
    // Only `take` writes under this key.
    return answers.get(asker) as ApprovalOutcome | 'unavailable';
  } catch (cause) {
    if (signal.aborted) return refusal(refuseEnded(name, signal));
    return refusal(cause instanceof ToolError ? cause : refuseUnanswered(name, cause));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Asks through the board's keeper, or directly if there is none. */
async function answer(
  request: GuardRequest,
  { approve, deferred, terms, write }: Asked & { readonly deferred: Approve | undefined },
): Promise<KeptAnswer> {
  const { tool, args, answers, asking } = request;
  const written = await write();
  const question: KeptQuestion = {
    tool,
    request: written,
    args,
    approve,
    deferred,
    onWait: asking?.onWait,
    terms,
    options: asking?.options ?? {},
    place: answers.size,
    // Without the key, the work might be done twice.
    isRepeatable: mayRepeat(tool) && (tool.metadata.idempotent !== 'key' || asking?.hasKey === true),
    noteWaiting: async (facts) => asking?.note('waiting', { risk: written.risk, ...facts }),
  };
  return asking?.keeper === undefined ? askDirectly(question) : asking.keeper.ask(question);
}

/** Asks without storing the question. */
export async function askDirectly({ approve, request, noteWaiting }: KeptQuestion): Promise<KeptAnswer> {
  if (approve === undefined) return 'unavailable';
  await noteWaiting({ question: request.message, mayAnswer: 'who is asked directly' });
  return readAnswer(await approve(request));
}

/** Reads the answer of a function that asks. A user's function may return anything; only a clear approval counts. */
export function readAnswer(given: unknown, fallback = 'the person who was asked'): KeptAnswer {
  if (given === 'unavailable') return given;
  const { allow, args, reason, by: named } = isPlainObject(given) ? given : {};
  const by = typeof named === 'string' && named !== '' ? named : fallback;
  if (given === true) return { allow: true, by };
  if (allow === true && (args === undefined || isPlainObject(args))) return { allow, by, args };
  return { allow: false, by, reason: typeof reason === 'string' ? reason : undefined };
}

/** Records an answer and returns its meaning for the call. */
async function take(
  given: KeptAnswer,
  { tool, answers, asking }: GuardRequest,
  asker: unknown,
): Promise<ApprovalOutcome | 'unavailable'> {
  if (given === 'unavailable') return given;
  const { by, id } = given;
  const facts = { approval: id, allow: given.allow, by };
  if (!given.allow) {
    await asking?.note('answered', { ...facts, reason: given.reason });
    return refusal(refuseByPerson(tool.metadata.name, given.reason), by);
  }
  const { args, scope, spend } = given;
  const edited = args === undefined ? undefined : true;
  // Written to disk before the tool runs.
  await asking?.note('answered', { ...facts, scope, edited });
  if (args !== undefined && asking === undefined) return refusal(refuseByPerson(tool.metadata.name, CANNOT_EDIT), by);
  asking?.recordAnswer({ by, ...(id === undefined ? {} : { id }), ...(edited === undefined ? {} : { edited }) });
  if (spend !== undefined) asking?.beforeRun(spend);
  if (args !== undefined) {
    asking?.revise(args);
    // Earlier answers approved other arguments.
    for (const other of answers.keys()) if (other !== asker) answers.delete(other);
  }
  return { allow: true, by };
}

function refusal(error: ToolError, by?: string): ApprovalOutcome {
  return { allow: false, by, error };
}

const CANNOT_EDIT = 'The arguments were changed, which this guard cannot do.';
