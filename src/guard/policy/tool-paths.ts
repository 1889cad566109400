import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { createReferenceFinder, referenceOf } from '../../tool/parameters/schema-node.ts';

/** A path that a call will use and that is built from its arguments. */
export interface MadePath {
  /** The argument to name in messages when the path is refused. */
  readonly argument: string;
  readonly path: string;
  /** The base folder of a relative path. */
  readonly folder: string;
  /** The value with its path in the arguments. Default: found by the argument's name. */
  readonly given?: { readonly path: readonly (string | number)[]; readonly value: unknown } | undefined;
  /** The reason to refuse it no matter where it leads. */
  readonly refusal?: string | undefined;
  /** True when it counts as a path only if a file of that name exists. */
  readonly onlyIfThere?: boolean | undefined;
}

/** A kind's knowledge about the paths in a tool's arguments. */
export interface ToolPaths {
  /** The arguments that are paths: dotted for nested ones, `*` for any key. */
  readonly names: readonly string[];
  /** Returns the working folders of the processes that will open the paths of a call. Empty when unknown. */
  folders(args: Readonly<Record<string, unknown>>): readonly string[];
  /** Returns paths that the call builds from its arguments: working folders, and templates that contain a path. */
  made?(args: Readonly<Record<string, unknown>>): readonly MadePath[];
  /** Arguments whose files a call only reads even if it writes others: the first part of their names. Default: none. */
  readonly reads?: readonly string[] | undefined;
  /** The reason why paths cannot be checked here: the command sees other files. */
  readonly obstacle?: string | undefined;
}

export const NO_PATHS: ToolPaths = { names: [], folders: () => [] };

/** Types whose values are not texts. */
const NO_TEXT: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean', 'null']);
/** Formats of texts that no command treats as a file elsewhere. */
const FORMATS: ReadonlySet<unknown> = new Set([
  'date',
  'date-time',
  'time',
  'duration',
  'uuid',
  'email',
  'ipv4',
  'ipv6',
]);
/** Texts that lead out of a folder. A pattern that matches none of them matches no such path. */
const PROBES = ['/', '/etc/passwd', '..', '../x', '../../etc/passwd', 'a/../../x', '~', '~/x', '@/x', 'k=/x', 'C:\\x'];
/** Keywords that are not followed when single arguments are examined. */
const UNREAD = ['patternProperties', 'dependentSchemas', 'if', 'then', 'else', 'unevaluatedProperties', 'contains'];
const MAX_PARTS = 2000;

/**
 * Returns true when a schema allows no argument that could be a path out of a folder: only numbers, choices, dates and texts of a narrow
 * pattern.
 */
export function cannotHoldPath(schema: JsonSchema): boolean {
  const find = createReferenceFinder(schema);
  let parts = 0;
  const isClosed = (part: unknown, open: readonly unknown[]): boolean => {
    if (part === false) return true;
    if (!isPlainObject(part) || ++parts > MAX_PARTS || UNREAD.some((key) => part[key] !== undefined)) return false;
    if (part['const'] !== undefined || Array.isArray(part['enum'])) return true;
    const reference = referenceOf(part);
    if (reference !== undefined) {
      const target = find(reference);
      // A schema that contains itself has no parts that were not examined already.
      return open.includes(target) || (target !== undefined && isClosed(target, [...open, target]));
    }
    const unions = ['anyOf', 'oneOf'].flatMap((key) => {
      const branches: unknown = part[key];
      return Array.isArray(branches) ? [branches] : [];
    });
    if (unions.some((branches) => branches.every((branch: unknown) => isClosed(branch, open)))) return true;
    const types: readonly unknown[] = [part['type']].flat();
    return part['type'] !== undefined && types.every((type) => isClosedType(type, part, open));
  };
  const isClosedType = (type: unknown, part: JsonSchema, open: readonly unknown[]): boolean => {
    if (NO_TEXT.has(type)) return true;
    if (type === 'string') return FORMATS.has(part['format']) || refusesPaths(part['pattern']);
    if (type === 'array') return isClosed(part['items'], open);
    const { properties = {}, additionalProperties } = part;
    if (type !== 'object' || !isPlainObject(properties) || additionalProperties !== false) return false;
    return Object.values(properties).every((property) => isClosed(property, open));
  };
  return isClosed({ type: 'object', ...schema }, [schema]);
}

/** Returns true when a pattern for whole texts matches no path that leads out of a folder. */
function refusesPaths(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || !pattern.startsWith('^') || !pattern.endsWith('$')) return false;
  try {
    const regex = new RegExp(pattern, 'u');
    return !PROBES.some((probe) => regex.test(probe));
  } catch {
    // An unknown dialect of patterns could match anything.
    return false;
  }
}
