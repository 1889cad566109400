import type { ApprovalRequest, ApprovalTerms, Approve, KeptAnswer } from '../../tool/calls/approval.ts';
import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { mayRepeat } from '../../tool/tool-metadata.ts';
import { asksNoPerson } from './answered-by.ts';
import { refuseByPerson, refuseEnded, refuseUndeferred, refuseUnanswered } from './refusals.ts';

/** Who is asked, how long the answer may take, and in which words. */
interface Asked {
  readonly approve: Approve | undefined;
  readonly terms: ApprovalTerms;
  /** Writes the question. */
  readonly write: () => Promise<ApprovalRequest>;
}

/**
 * Asks whether a call may run, and waits for the answer, but not past the call's end. Gives the error that refuses it.
 *
 * Whoever has answered for this call is not asked again. A call that does not wait for answers asks the board's keeper alone.
 */
export async function askPerson(request: GuardRequest, asked: Asked): Promise<ToolError | 'unavailable' | undefined> {
  const { tool, signal, answers, asking } = request;
  const { name } = tool.metadata;
  // Who answers at once, as `--yes` does, needs no question that waits.
  const isAnsweredAtOnce = asking?.onWait !== undefined && asked.approve !== undefined && asksNoPerson(asked.approve);
  const isDeferred = asking?.options.defer === true && !isAnsweredAtOnce;
  const keeper = asking?.keeper;
  // Such a policy lets calls run that no one can be asked about, whether they wait or not.
  if (isDeferred && asked.approve === undefined && asked.terms.headless === 'approve') return 'unavailable';
  if (isDeferred && keeper === undefined) return refuseUndeferred(tool, request.args);
  const approve = isDeferred ? undefined : asked.approve;
  const asker = approve ?? keeper;
  if (asker === undefined) return 'unavailable';
  if (signal.aborted) return refuseEnded(name, signal);
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
      // A yes that comes with the end is too late.
      if (given === undefined || signal.aborted) return refuseEnded(name, signal);
      // The pipeline lets every guard judge once more: while a person made up their mind a folder may have become a link.
      answers.set(asker, await take(given, request, asker));
    }
    if (signal.aborted) return refuseEnded(name, signal);
    // Only `take` puts something under a function that was asked.
    const known = answers.get(asker) as ToolError | 'unavailable' | true;
    return known === true ? undefined : known;
  } catch (cause) {
    if (signal.aborted) return refuseEnded(name, signal);
    return cause instanceof ToolError ? cause : refuseUnanswered(name, cause);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Asks through the board's keeper, or directly where there is none. */
async function answer(
  request: GuardRequest,
  { approve, deferred, terms, write }: Asked & { readonly deferred: Approve | undefined },
): Promise<KeptAnswer> {
  const { tool, args, answers, asking } = request;
  const written = await write();
  if (asking?.keeper !== undefined) {
    return asking.keeper.ask({
      tool,
      request: written,
      args,
      approve,
      deferred,
      onWait: asking.onWait,
      terms,
      options: asking.options,
      place: answers.size,
      // Without the key it would be done twice.
      isRepeatable: mayRepeat(tool) && (tool.metadata.idempotent !== 'key' || asking.hasKey),
      noteWaiting: (facts) => asking.note('waiting', { risk: written.risk, ...facts }),
    });
  }
  if (approve === undefined) return 'unavailable';
  await asking?.note('waiting', { risk: written.risk, question: written.message });
  return readAnswer(await approve(written));
}

/** What a function that asks has answered; one of the user's may give anything. Only a clear yes is one. */
export function readAnswer(given: unknown, fallback = 'the person who was asked'): KeptAnswer {
  if (given === 'unavailable') return given;
  const { allow, args, reason, by: named } = isPlainObject(given) ? given : {};
  const by = typeof named === 'string' && named !== '' ? named : fallback;
  if (given === true) return { allow: true, by };
  if (allow === true && (args === undefined || isPlainObject(args))) return { allow, by, args };
  return { allow: false, by, reason: typeof reason === 'string' ? reason : undefined };
}

/** Notes an answer and gives what it means for the call. */
async function take(
  given: KeptAnswer,
  { tool, answers, asking }: GuardRequest,
  asker: unknown,
): Promise<ToolError | 'unavailable' | true> {
  if (given === 'unavailable') return given;
  const { by, id } = given;
  const facts = { approval: id, allow: given.allow, by };
  if (!given.allow) {
    await asking?.note('answered', { ...facts, reason: given.reason });
    return refuseByPerson(tool.metadata.name, given.reason);
  }
  const { args, scope, spend } = given;
  const edited = args === undefined ? undefined : true;
  // On disk before the tool runs.
  await asking?.note('answered', { ...facts, scope, edited });
  if (args !== undefined && asking === undefined) return refuseByPerson(tool.metadata.name, CANNOT_EDIT);
  asking?.recordAnswer({ by, ...(id === undefined ? {} : { id }), ...(edited === undefined ? {} : { edited }) });
  if (spend !== undefined) asking?.beforeRun(spend);
  if (args !== undefined) {
    asking?.revise(args);
    // What others agreed to were other arguments.
    for (const other of answers.keys()) if (other !== asker) answers.delete(other);
  }
  return true;
}

const CANNOT_EDIT = 'The arguments were changed, which this guard cannot do.';
