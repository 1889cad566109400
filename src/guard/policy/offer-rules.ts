import type { OfferPlace } from '../../tool/offers.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import type { OfferRule, OfferRules, PolicySection, ServerQuestion } from './policy-section.ts';
import { toList } from './rule-list.ts';

/** Tells whether a prompt or a resource may be used. */
export type OfferCheck = (place: OfferPlace) => boolean;

/**
 * Compiles what a policy says about prompts and resources. `isClosed` tells that tools are disabled unless a rule permits them:
 * prompts and resources are too, then. A list of those that are allowed forbids all others.
 */
export function compileOfferRules(
  { prompts, resources }: Pick<PolicySection, 'prompts' | 'resources'>,
  isClosed: boolean,
): OfferCheck {
  const checks = { prompt: compileSide(prompts, isClosed), resource: compileSide(resources, isClosed) };
  return (place) => checks[place.type](place);
}

/** Compiles rules of which one must match, such as the rights of a token. */
export function compileOfferList(rules: readonly OfferRule[]): OfferCheck {
  const compiled = rules.map(compileRule);
  return (place) => compiled.some((matches) => matches(place));
}

/** Returns the requests that a policy forbids a server to send to its callers: one refusal under any matching name is enough. */
export function refusedQuestions(section: Pick<PolicySection, 'servers'>, server: string): ServerQuestion[] {
  const fitting = Object.entries(section.servers ?? {}).filter(([name]) => compileGlob(name)(server));
  const questions: readonly ServerQuestion[] = ['sampling', 'elicitation', 'roots'];
  return questions.filter((question) => fitting.some(([, may]) => may[question] === false));
}

function compileSide({ allow, deny }: OfferRules = {}, isClosed: boolean): OfferCheck {
  const denied = compileOfferList(deny ?? []);
  const allowed = allow === undefined ? () => !isClosed : compileOfferList(allow);
  return (place) => !denied(place) && allowed(place);
}

function compileRule(rule: OfferRule): OfferCheck {
  if (typeof rule === 'string') {
    const matches = compileGlob(rule);
    return ({ id }) => matches(id);
  }
  const sources = toList(rule.source).map(compileGlob);
  return ({ source }) => sources.some((matches) => matches(source));
}
