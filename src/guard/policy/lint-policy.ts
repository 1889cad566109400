import { existsSync } from 'node:fs';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { permittingNames, restrictingNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import { patternFault } from '../../tool/schema/pattern.ts';
import { rootFolder, type RootOptions } from './check-roots.ts';
import type { ArgumentLimits, PolicyRule, PolicySection } from './policy-section.ts';
import { compileRules, describeRule, toList } from './rule-list.ts';
import type { ToolPaths } from './tool-paths.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { allParameters, readVariants } from '../../tool/parameters/read-variants.ts';
import { createReferenceFinder } from '../../tool/parameters/schema-node.ts';

/** A finding for the author of a policy. */
export interface PolicyFault {
  /** A fault of severity `error` is a mistake with any set of tools. */
  readonly severity: 'error' | 'warning';
  /** The place in the policy, as keys and indexes. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = PolicyFault['path'];

const RISKS = ['read', 'write', 'destructive'];
/** Limit for suggestions, because searching many names for the nearest takes time. */
const MAX_SUGGESTIONS = 20;

/**
 * Finds mistakes in a policy: names and arguments that no tool has, patterns that cannot run, rules without effect.
 *
 * `isClosed`: tools are disabled unless a rule permits them.
 */
export function lintPolicy(
  section: PolicySection,
  tools: readonly Tool[],
  { isClosed, ...folders }: Pick<RootOptions, 'base' | 'home'> & { readonly isClosed: boolean },
): PolicyFault[] {
  const known = { tools, ...indexNames(tools), explainName: createExplainName(tools) };
  const waives = (level: unknown): boolean => level === false || level === 'none';
  return [
    ...lintRules('allow', section.allow ?? [], known),
    ...lintRules('deny', section.deny ?? [], known),
    ...(section.apps === undefined || section.apps === false
      ? []
      : [
          ...lintRules('allow', section.apps.allow ?? [], { ...known, base: ['apps'] }),
          ...lintRules('deny', section.apps.deny ?? [], { ...known, base: ['apps'] }),
        ]),
    ...lintEffect(section),
    ...lintNames(['tools'], section.tools ?? {}, {
      ...known,
      permits: (rules) => isClosed || waives(rules?.require_approval),
    }),
    ...lintNames(['approval', 'tools'], section.approval?.tools ?? {}, { ...known, permits: waives }),
    ...Object.entries(section.tools ?? {}).flatMap(([name, rules]) =>
      Object.entries(rules?.args ?? {}).flatMap(([argument, limits]) => {
        const path = ['tools', name, 'args', argument];
        const fault = findArgumentFault(known.own.get(name) ?? known.others.get(name), argument);
        return [...(fault === undefined ? [] : [warn(path, fault)]), ...lintLimits(path, limits)];
      }),
    ),
    ...lintRoots(section.roots ?? [], folders),
  ];
}

/** The tools of a board, and maps of them by name. */
interface KnownTools {
  readonly tools: readonly Tool[];
  /** By the names that permitting rules match. */
  readonly own: ReadonlyMap<string, Tool>;
  /** By all names that restricting rules match. */
  readonly others: ReadonlyMap<string, Tool>;
  readonly explainName: ExplainName;
}

function indexNames(tools: readonly Tool[]): Pick<KnownTools, 'own' | 'others'> {
  return {
    own: new Map(tools.flatMap((tool) => permittingNames(tool).map((name) => [name, tool]))),
    others: new Map(tools.flatMap((tool) => restrictingNames(tool).map((name) => [name, tool]))),
  };
}

function lintRules(
  key: 'allow' | 'deny',
  rules: readonly PolicyRule[],
  { tools, own, others, explainName, base = [] }: KnownTools & { readonly base?: Path },
): PolicyFault[] {
  const list = compileRules(rules, key === 'deny' ? 'restrict' : 'permit');
  return rules.flatMap((rule, index) => {
    const path = [...base, key, index];
    if (typeof rule === 'string' && !rule.includes('*')) {
      if (own.has(rule)) return [];
      const other = others.get(rule);
      if (other === undefined) return [warn(path, explainName(rule))];
      return key === 'deny' ? [] : [warn(path, explainOther(other))];
    }
    const wrong =
      typeof rule === 'string' ? [] : toList(rule.risk).filter((risk) => !risk.includes('*') && !RISKS.includes(risk));
    if (wrong.length > 0) {
      const message = `must be one of ${RISKS.join(', ')}; got ${wrong.map((risk) => describeValue(risk)).join(', ')}.`;
      return [{ severity: 'error', path: [...path, 'risk'], message }];
    }
    if (tools.some((tool) => list.matches(index, tool))) return [];
    return [warn(path, `no tool matches ${describeRule(rule)}.`)];
  });
}

function lintEffect({ default: state, allow }: PolicySection): PolicyFault[] {
  if (state !== 'enabled' || allow === undefined) return [];
  const advice = 'Write "default: disabled" to allow only these.';
  return [warn(['allow'], `has no effect, since every tool is enabled. ${advice}`)];
}

function lintNames<T>(
  path: Path,
  named: Readonly<Record<string, T>>,
  { own, others, explainName, permits }: KnownTools & { readonly permits: (rules: T) => boolean },
): PolicyFault[] {
  return Object.entries(named).flatMap(([name, rules]) => {
    if (own.has(name)) return [];
    const other = others.get(name);
    if (other === undefined) return [warn([...path, name], explainName(name))];
    return permits(rules) ? [warn([...path, name], explainOther(other))] : [];
  });
}

/** Explains a name that a tool has only elsewhere: restricting rules match it, permitting rules do not. */
function explainOther({ metadata }: Tool): string {
  return `permits nothing: the tool of this name is called ${describeValue(metadata.name)} here. Use that name.`;
}

function lintLimits(path: Path, { pattern, min, max }: ArgumentLimits): PolicyFault[] {
  const faults: PolicyFault[] = [];
  const fault = typeof pattern === 'string' ? patternFault(pattern) : undefined;
  if (fault !== undefined) {
    const message = `must be a regular expression (${fault}); got ${describeValue(pattern)}.`;
    faults.push({ severity: 'error', path: [...path, 'pattern'], message });
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    faults.push(warn([...path, 'min'], `is above max (${min} > ${max}): no value passes.`));
  return faults;
}

function lintRoots(roots: readonly string[], folders: Pick<RootOptions, 'base' | 'home'>): PolicyFault[] {
  return roots.flatMap((root, index) =>
    exists(root, folders) ? [] : [warn(['roots', index], `there is no folder ${describeValue(root)}.`)],
  );
}

function exists(root: string, folders: Pick<RootOptions, 'base' | 'home'>): boolean {
  try {
    const folder = rootFolder(root, folders);
    return folder !== undefined && existsSync(folder);
  } catch {
    return false;
  }
}

/** Reports that there is no such tool, and suggests the nearest name. */
type ExplainName = (name: string) => string;

function createExplainName(tools: readonly Tool[]): ExplainName {
  let left = MAX_SUGGESTIONS;
  const names = tools.map(({ metadata }) => metadata.name);
  return (name) => {
    const [nearest] = left-- > 0 ? nearestNames(name, names, 1) : [];
    const start = `there is no tool ${describeValue(name)}.`;
    return nearest === undefined ? start : `${start} Did you mean ${describeValue(nearest)}?`;
  };
}

function warn(path: Path, message: string): PolicyFault {
  return { severity: 'warning', path, message };
}

/** Maximum names in one message. */
const MAX_NAMED = 8;

/** The place where tools defined in code name their path arguments. */
export const IN_CODE = 'in the entry of its script, or in the metadata of a tool in code';

/** Finds tools that a policy with roots refuses because their path arguments are unknown, and wrong names under `paths`. */
export function lintPaths(
  tools: readonly Tool[],
  pathsOf: (tool: Tool) => ToolPaths | undefined,
  placeOf: (tool: Tool) => string = () => IN_CODE,
): PolicyFault[] {
  const groups = Map.groupBy(tools, ({ metadata }) => JSON.stringify([metadata.kind, metadata.source]));
  return [...groups.values()].flatMap((group) => {
    const silent = group.filter((tool) => pathsOf(tool) === undefined);
    return [
      ...(silent.length === 0 ? [] : [warn(['roots'], explainSilent(silent, placeOf))]),
      ...strayNames(group, pathsOf).map((message) => warn(['roots'], message)),
    ];
  });
}

function explainSilent(tools: readonly Tool[], placeOf: (tool: Tool) => string): string {
  const names = tools.map(({ metadata }) => describeValue(metadata.name));
  const listed = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), `${names.length - MAX_NAMED} more`] : names;
  const [first] = tools;
  const refused =
    names.length === 1 ? `refuses ${listed.join('')}` : `refuses ${names.length} tools: ${listed.join(', ')}`;
  const place = first === undefined ? IN_CODE : placeOf(first);
  return `${refused}, because it is unknown which arguments are paths. Write paths: [NAME, …] ${place}, or paths: [] when none is.`;
}

/** Finds names under `paths` that no tool of the same source has: a misspelt name would leave a path unchecked. */
function strayNames(tools: readonly Tool[], pathsOf: (tool: Tool) => ToolPaths | undefined): string[] {
  const users = new Map<string, Tool[]>();
  for (const tool of tools) {
    for (const name of pathsOf(tool)?.names ?? []) users.set(name, [...(users.get(name) ?? []), tool]);
  }
  return [...users].flatMap(([name, sharing]) => {
    const faults = sharing.map((tool) => findArgumentFault(tool, name));
    const [fault] = faults;
    return fault !== undefined && faults.every((other) => other !== undefined) ? [`paths: ${fault}`] : [];
  });
}

/** Returns the fault of a limit on an argument that the tool does not have. `undefined` when the tool's arguments are unknown. */
function findArgumentFault(tool: Tool | undefined, argument: string): string | undefined {
  let schema = tool === undefined ? undefined : readSchema(tool);
  const find = createReferenceFinder(schema ?? {});
  for (const step of argument.split('.')) {
    if (step.startsWith('*')) return undefined;
    while (isPlainObject(schema?.['items'])) schema = schema['items'];
    const known = schema === undefined ? [] : allParameters(readVariants(schema, find));
    if (known.length === 0 && !isPlainObject(schema?.['properties'])) return undefined;
    if (known.some(({ name }) => name === argument)) return undefined;
    const next = known.find(({ name }) => name === step);
    if (next === undefined) {
      const names = known.map(({ name }) => name);
      return explain(String(tool?.metadata.name), step, names);
    }
    schema = next.schema;
  }
  return undefined;
}

function explain(tool: string, argument: string, known: readonly string[]): string {
  const [nearest] = nearestNames(argument, known, 1);
  const start = `the tool ${describeValue(tool)} has no argument ${describeValue(argument)}`;
  if (nearest !== undefined) return `${start}. Did you mean ${describeValue(nearest)}?`;
  return known.length === 0 ? `${start}.` : `${start}. It has: ${known.join(', ')}.`;
}

function readSchema(tool: Tool): JsonSchema | undefined {
  try {
    return tool.inputSchema;
  } catch {
    // A schema that cannot be shown can still be checked.
    return undefined;
  }
}
