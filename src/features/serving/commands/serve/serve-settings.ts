import { createHash } from 'node:crypto';
import type { LoadedFile } from '../../../../load/loaded-file.ts';
import { parseDuration } from '../../../../kinds/parse-units.ts';
import type { Access } from '../../../../mcp/server/caller.ts';
import type { Authenticator, HttpOptions } from '../../../../mcp/server/http/http-options.ts';
import type { McpServerOptions } from '../../../../mcp/server/server-options.ts';
import { serving } from '../../feature.ts';
import type { SectionValue } from '../../../../load/features/built-in-section.ts';
import { joinValues, mergeSections } from '../../../../load/features/section.ts';
import type { ToolRisk } from '../../../../tool/tool-metadata.ts';
import type { Tool } from '../../../../tool/tool.ts';
import { compileOfferList, compileRules, type OfferCheck, toList } from '../../../../guard/policy/rule-list.ts';
import type { PolicyNames, PolicyRule } from '../../../../guard/policy/policy-section.ts';

/** The validated `serve` section of a file. */
export type ServeSection = SectionValue<'serve'>;

/** Joins the `serve` sections of all files. */
export function mergeServeSections(files: readonly LoadedFile[]): ServeSection {
  const sections = mergeSections(serving.sections, files).serve.map(({ value }) => value);
  return joinValues(sections, { limits: 'keys', tasks: 'keys' });
}

/** Combines the options of the server from the files and the command line. */
export function toServerOptions(
  section: ServeSection,
  given: {
    /** The name of the board, for files without `serve.name`. */
    readonly boardName: string;
    readonly mode: McpServerOptions['mode'] | undefined;
    readonly compat: McpServerOptions['compat'];
    readonly version: string;
  },
): McpServerOptions {
  const { tasks = {} } = section;
  const { version = given.version, title } = section.publish ?? {};
  const name = section.name ?? given.boardName;
  const time = (value: number | string | undefined, key: string): Record<string, number> =>
    value === undefined ? {} : { [key]: parseDuration(value) };
  return {
    name: name === '' ? 'pegboard' : name,
    ...defined({ title, instructions: section.instructions, tokenBudget: section.token_budget }),
    ...defined({ describeTools: section.describe_tools }),
    ...time(section.first_list, 'firstList'),
    ...defined({ mode: given.mode ?? section.mode, compat: given.compat ?? section.compat, version }),
    tasks: {
      ...defined({ always: tasks.always, only: tasks.only, clients: tasks.clients }),
      ...time(tasks.after, 'after'),
      ...time(tasks.ttl, 'ttl'),
    },
  };
}

/** Converts the section to options of the HTTP server. */
export function toHttpOptions(section: ServeSection, authenticator: Authenticator | undefined): HttpOptions {
  const { limits = {}, host, port, path } = section;
  const { rate, burst, concurrency } = limits;
  const hasLimits = rate !== undefined || concurrency !== undefined;
  const times = {
    requestTimeout: limits.request_timeout,
    idleTimeout: limits.idle_timeout,
    sessionTtl: limits.session_ttl,
    grace: limits.grace,
    drain: limits.drain,
  };
  return {
    ...defined({
      host,
      port,
      path,
      allowedHosts: section.allowed_hosts,
      allowedOrigins: section.allowed_origins,
      trustedProxies: section.trusted_proxies,
      metricsOpen: section.metrics_open,
      publicUrl: section.public_url,
      maxBody: limits.max_body,
      maxHeader: limits.max_header,
      maxSessions: limits.max_sessions,
      wrongTokens: limits.wrong_tokens,
    }),
    ...Object.fromEntries(
      Object.entries(times).flatMap(([name, value]) => (value === undefined ? [] : [[name, parseDuration(value)]])),
    ),
    ...(hasLimits ? { limits: { rate, burst, concurrency } } : {}),
    authenticator,
  };
}

/** Returns true when the files define who may connect. */
export function namesTokens({ token, tokens = [], oauth }: ServeSection): boolean {
  return token !== undefined || tokens.length > 0 || oauth !== undefined;
}

/** Returns the milliseconds that calls may continue when the server stops. */
export function readGrace({ limits }: ServeSection): number | undefined {
  return limits?.grace === undefined ? undefined : parseDuration(limits.grace);
}

/** Compiles rules to access rights; without rules, everything is allowed. Equal rules have equal keys in every process. */
export function toAccess(rules: readonly RightRule[] | undefined, seesAllCalls = false): Access {
  if (rules === undefined) return { key: '', allows: () => true, seesAllCalls };
  const compiled = compileRules(rules.filter(isToolRule));
  const offers = rules.flatMap(toOfferCheck);
  const key = createHash('sha256').update(JSON.stringify(rules)).digest('base64url');
  return {
    key: `rules:${key}`,
    allows: (tool: Tool, risk?: ToolRisk) => compiled.find(tool, risk) !== undefined,
    allowsOffer: (place) => offers.some((allows) => allows(place)),
    seesAllCalls,
  };
}

/** A right of a token or scope: tools, prompts by name, or resources by address. */
type RightRule = PolicyRule | { readonly prompt: PolicyNames } | { readonly resource: PolicyNames };

function isToolRule(rule: RightRule): rule is PolicyRule {
  return typeof rule === 'string' || !('prompt' in rule || 'resource' in rule);
}

/** Compiles the prompts and resources that a rule allows. A rule with only a source allows everything of the source. */
function toOfferCheck(rule: RightRule): OfferCheck[] {
  if (typeof rule === 'string') return [];
  if ('prompt' in rule || 'resource' in rule) {
    const type = 'prompt' in rule ? 'prompt' : 'resource';
    const matches = compileOfferList(toList('prompt' in rule ? rule.prompt : rule.resource));
    return [(place) => place.type === type && matches(place)];
  }
  const { source, ...others } = rule;
  const isWhole = source !== undefined && Object.values(others).every((value) => value === undefined);
  return isWhole ? [compileOfferList([{ source }])] : [];
}

function defined<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Keys without a value are omitted, never set to undefined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
