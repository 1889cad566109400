import { RISK_LEVELS } from '../../tool/parameters/argument-risk.ts';
import { leastRiskOf } from '../../tool/parameters/call-risk.ts';
import { isWithinRisk, riskOf, risksOf, sourceOf, type ToolRisk } from '../../tool/tool-metadata.ts';
import {
  type JoinedName,
  joinedNames,
  JOINT,
  permittingNames,
  restrictingNames,
  restrictingSources,
} from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import type {
  OfferRule,
  OfferRules,
  PolicyNames,
  PolicyRule,
  PolicySection,
  PolicySelector,
  ServerQuestion,
} from './policy-section.ts';
import type { OfferPlace } from '../../tool/offers.ts';

/** Rules, of which one must match. */
interface RuleList {
  /** Returns the index of a rule that matches a call with this risk, or `undefined`. Default: the lowest risk of the tool's calls. */
  find(tool: Tool, risk?: ToolRisk): number | undefined;
  /** Returns true when the rule at this index matches some call of the tool. */
  matches(index: number, tool: Tool): boolean;
}

type Rule = (tool: Tool, risk?: ToolRisk) => boolean;

/** The effect of rules on matching tools: allow them, or refuse them. */
type RuleEffect = 'permit' | 'restrict';

/**
 * Compiles `allow` or `deny`. Plain names are looked up, so that a list may have thousands.
 *
 * Restricting rules match a tool by all its names, permitting rules only by names that certainly belong to it.
 *
 * A rule by risk judges single calls. A rule that permits a risk also permits less risky calls of the same tool, and a rule that restricts
 * a risk also restricts riskier ones, so that an extra argument cannot bypass a rule. Therefore the least risky call of a tool passes if
 * any call does.
 */
export function compileRules(rules: readonly PolicyRule[], effect: RuleEffect = 'permit'): RuleList {
  const namesOf = effect === 'permit' ? permittingNames : restrictingNames;
  const byName = new Map<string, number>();
  const others: { readonly index: number; readonly rule: Rule }[] = [];
  const compiled = rules.map((rule) => compileRule(rule, effect));
  for (const [index, rule] of compiled.entries()) {
    const written = rules[index];
    if (typeof written !== 'string' || written.includes('*')) others.push({ index, rule });
    else if (!byName.has(written)) byName.set(written, index);
  }
  const findByName = (tool: Tool): number | undefined => {
    for (const name of namesOf(tool)) {
      const index = byName.get(name);
      if (index !== undefined) return index;
    }
    return undefined;
  };
  return {
    find: (tool, risk) => findByName(tool) ?? others.find(({ rule }) => rule(tool, risk))?.index,
    matches: (index, tool) => compiled[index]?.(tool, effect === 'permit' ? undefined : riskOf(tool)) ?? false,
  };
}

/** Formats a rule for messages: `"git_*"`, `tag "prod" and risk "write"`. */
export function describeRule(rule: PolicyRule | undefined): string {
  if (typeof rule === 'string') return JSON.stringify(rule);
  const parts = Object.entries(rule ?? {}).map(
    ([key, names]) =>
      `${key} ${toList(names)
        .map((name) => JSON.stringify(name))
        .join(' or ')}`,
  );
  return parts.length === 0 ? 'every tool' : parts.join(' and ');
}

/** Converts one or more texts to a list. */
export function toList(names: PolicyNames | undefined): readonly string[] {
  if (names === undefined) return [];
  return typeof names === 'string' ? [names] : names;
}

function compileRule(rule: PolicyRule, effect: RuleEffect): Rule {
  if (typeof rule === 'string') return compileName(rule, effect);
  const names = rule.name === undefined ? undefined : toList(rule.name).map((name) => compileName(name, effect));
  const tests = [
    (tool: Tool) => names === undefined || names.some((matches) => matches(tool)),
    compileField(rule, 'tag', ({ metadata }) => metadata.tags ?? []),
    compileField(rule, 'category', ({ metadata }) => [metadata.category]),
    compileRisk(rule, effect),
    compileField(rule, 'source', (tool) =>
      effect === 'permit' ? [sourceOf(tool.metadata)] : restrictingSources(tool),
    ),
  ];
  return (tool, risk) => tests.every((test) => test(tool, risk));
}

/** Compiles the risks of a rule. The risk of most calls is one of three words, which are looked up. */
function compileRisk({ risk: written }: PolicySelector, effect: RuleEffect): Rule {
  if (written === undefined) return () => true;
  const globs = toList(written).map(compileGlob);
  const named = new Set(RISK_LEVELS.filter((level) => globs.some((matches) => matches(level))));
  return (tool, risk) => {
    const { risk: own = 'write', argumentRisks } = tool.metadata;
    if (argumentRisks === undefined) return named.has(own);
    const given = risk ?? leastRiskOf(tool);
    return risksOf(tool).some(
      (level) => named.has(level) && (effect === 'permit' ? isWithinRisk(given, level) : isWithinRisk(level, given)),
    );
  };
}

/**
 * Compiles a name or a pattern of names.
 *
 * In a permitting pattern, no `*` begins or ends inside the `__` that a board puts between server and tool, and a `__` in the pattern
 * matches only that separator: "git_*" matches tools such as git_log but none of a server named git, and "git__*" matches none of a server
 * named git__hub.
 */
function compileName(name: string, effect: RuleEffect): Rule {
  const matches = compileGlob(name);
  if (effect === 'restrict') return (tool) => restrictingNames(tool).some(matches);
  if (!name.includes('*')) return (tool) => permittingNames(tool).some(matches);
  const halves = [...name.matchAll(/(?=__)/g)].map(
    ({ index }) => [compileGlob(name.slice(0, index)), compileGlob(name.slice(index + JOINT.length))] as const,
  );
  const matchesJoined = ([server, own]: JoinedName): boolean =>
    halves.length === 0 ? matches(`${server}\0${own}`) : halves.some(([start, end]) => start(server) && end(own));
  return (tool) => {
    const joined = joinedNames(tool);
    if (joined.some(matchesJoined)) return true;
    const own = tool.metadata.name;
    return matches(own) && joined.every((parts) => parts.join(JOINT) !== own);
  };
}

function compileField(
  rule: PolicySelector,
  field: 'tag' | 'category' | 'source',
  read: (tool: Tool) => readonly (string | undefined)[],
): Rule {
  const names = rule[field];
  if (names === undefined) return () => true;
  const globs = toList(names).map(compileGlob);
  return (tool) => read(tool).some((value) => value !== undefined && globs.some((matches) => matches(value)));
}

/** Compiles the policy's rules for pages (MCP Apps): the reason why a page may not make a call with this risk, or `undefined`. */
export function compilePageRules(apps: PolicySection['apps']): (tool: Tool, risk?: ToolRisk) => string | undefined {
  if (apps === undefined) return () => undefined;
  if (apps === false) return () => 'the policy lets apps call no tool';
  const { allow, deny = [] } = apps;
  const denied = compileRules(deny, 'restrict');
  const allowed = compileRules(allow ?? []);
  return (tool, risk) => {
    const rule = denied.find(tool, risk);
    if (rule !== undefined) return `the rule apps.deny[${rule}] (${describeRule(deny[rule])}) forbids it to apps`;
    if (allow === undefined || allowed.find(tool, risk) !== undefined) return undefined;
    const what = allowed.find(tool) === undefined ? 'tools' : 'calls';
    return `it is not among the ${what} that the policy lets apps ${what === 'tools' ? 'call' : 'make'}`;
  };
}

/** Returns true when a prompt or a resource may be used. */
export type OfferCheck = (place: OfferPlace) => boolean;

/**
 * Compiles the policy's rules for prompts and resources. `isClosed`: tools, prompts and resources are disabled unless a rule permits them.
 * A list of allowed ones forbids all others.
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
  const compiled = rules.map(compileOfferRule);
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

function compileOfferRule(rule: OfferRule): OfferCheck {
  if (typeof rule === 'string') {
    const matches = compileGlob(rule);
    return ({ id }) => matches(id);
  }
  const sources = toList(rule.source).map(compileGlob);
  return ({ source }) => sources.some((matches) => matches(source));
}
