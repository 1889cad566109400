import { type Answers, type Ask, type AskQuestion, type Questions, reachIn, toPerson } from '../../tool/calls/ask.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { OpenBoardOptions } from '../open-board-options.ts';

type Answerers = {
  readonly [K in keyof Questions]: (question: Questions[K], context: ToolContext) => Promise<Answers[K]>;
};

/** Creates the function with which a board asks people. `elicit` and `login` answer if the context of a call names no one. */
export function createAsk({ elicit, login }: Pick<OpenBoardOptions, 'elicit' | 'login'>): Ask {
  const own = elicit && toPerson(elicit);
  const reach: Ask['reach'] = (context) => {
    const { person = own, model } = reachIn(context);
    return { person, model };
  };
  const answerers: Answerers = {
    async approval({ call, terms }) {
      const { askApproval } = await import('../../guard/approval/ask-approval.ts');
      return askApproval(call, { terms });
    },
    async question({ request, origin }, context) {
      return reach(context).person?.elicit(request, origin) ?? { action: 'decline' };
    },
    async sample({ request, origin }, context) {
      const { model } = reach(context);
      if (model !== undefined) return model.sample(request, origin);
      throw new ToolError({ code: 'execution_failed', message: 'The caller of the tool lends no model.' });
    },
    async login({ url, page }, context) {
      if (page === undefined)
        return login === undefined ? { action: 'decline' } : { action: 'accept', address: await login.authorize(url) };
      const { person } = reach(context);
      if (person?.opensPages !== true) return { action: 'decline' };
      const { message, elicitationId, origin } = page;
      return person.elicit({ mode: 'url', message, url, elicitationId }, origin);
    },
  };
  const ask: AskQuestion = (question, context) => answerers[question.kind](question, context);
  return Object.assign(ask, { reach, redirectUri: login?.redirectUri });
}
