/** A version: its three numbers, and the parts of its prerelease. */
interface Version {
  readonly main: readonly [number, number, number];
  readonly pre: readonly string[];
}

interface Comparator {
  readonly operator: '<' | '<=' | '>' | '>=' | '=';
  readonly version: Version;
}

/** The versions that npm accepts for a text such as `^1.2` or `1.x || >=3`: all comparators of one of the sets. */
export type VersionRange = readonly (readonly Comparator[])[];

const VERSION = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([\w.-]+))?(?:\+[\w.-]+)?$/;
const PART = String.raw`(\d{1,15}|[xX*])`;
const PARTIAL = new RegExp(
  String.raw`^(\^|~>?|[<>]=?|=)?v?${PART}(?:\.${PART}(?:\.${PART}(?:-([\w.-]+))?(?:\+[\w.-]+)?)?)?$`,
);

/** Returns true for an exact version such as `1.2.3` or `1.2.3-beta.1`. */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Reads a range of versions; `undefined` for other texts, such as tags. */
export function parseRange(text: string): VersionRange | undefined {
  const sets = text.split('||').map((set) => parseSet(set.trim()));
  return sets.every((set) => set !== undefined) ? sets : undefined;
}

/** Returns true when a version is in a range. A prerelease must be asked for by its own three numbers, as with npm. */
export function satisfies(text: string, range: VersionRange): boolean {
  const version = parseVersion(text);
  if (version === undefined) return false;
  return range.some((set) => {
    if (!set.every((comparator) => passes(version, comparator))) return false;
    const isNamed = set.some((one) => one.version.pre.length > 0 && compareMain(one.version, version) === 0);
    return version.pre.length === 0 || isNamed;
  });
}

/** Compares two exact versions, the older first. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [parseVersion(one), parseVersion(other)];
  return left === undefined || right === undefined ? 0 : compare(left, right);
}

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, pre] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { main: [Number(major), Number(minor), Number(patch)], pre: pre?.split('.') ?? [] };
}

function parseSet(text: string): readonly Comparator[] | undefined {
  const [, from, to] = /^(\S+)\s+-\s+(\S+)$/.exec(text) ?? [];
  const words =
    from === undefined ? text.replaceAll(/([<>=^~])\s+/g, '$1').split(/\s+/) : [`>=${from}`, `<=${to ?? ''}`];
  const comparators = words.map((word) => (word === '' ? [] : parseComparator(word)));
  return comparators.every((one) => one !== undefined) ? comparators.flat() : undefined;
}

function parseComparator(text: string): readonly Comparator[] | undefined {
  const [, operator = '', ...parts] = PARTIAL.exec(text) ?? [];
  const [major, minor, patch] = parts.slice(0, 3).map((part) => (/^\d/.test(part ?? '') ? Number(part) : undefined));
  if (parts.length === 0) return undefined;
  if (major === undefined) return /^[<>]$/.test(operator) ? undefined : [];
  const isFull = minor !== undefined && patch !== undefined;
  const low: Version = {
    main: [major, minor ?? 0, minor === undefined ? 0 : (patch ?? 0)],
    pre: isFull ? (parts[3]?.split('.') ?? []) : [],
  };
  // The first version after those that a partial one such as 1.2 stands for.
  const next = minor === undefined ? bound(major + 1) : bound(major, minor + 1);
  const from = { operator: '>=', version: low } as const;
  const below = (version: Version): Comparator => ({ operator: '<', version });
  switch (operator) {
    case '^': {
      if (major > 0 || minor === undefined) return [from, below(bound(major + 1))];
      return [from, below(minor > 0 || patch === undefined ? bound(0, minor + 1) : bound(0, 0, patch + 1))];
    }
    case '~':
    case '~>':
      return [from, below(next)];
    case '>=':
      return [from];
    case '>':
      return [isFull ? { operator, version: low } : { operator: '>=', version: { ...next, pre: [] } }];
    case '<':
      return [below(isFull ? low : { ...low, pre: ['0'] })];
    case '<=':
      return [isFull ? { operator, version: low } : below(next)];
    default:
      return isFull ? [{ operator: '=', version: low }] : [from, below(next)];
  }
}

/** A version that no prerelease of the same numbers is below. */
function bound(major: number, minor = 0, patch = 0): Version {
  return { main: [major, minor, patch], pre: ['0'] };
}

function passes(version: Version, { operator, version: other }: Comparator): boolean {
  const order = compare(version, other);
  if (order === 0) return operator.endsWith('=');
  return operator.startsWith(order < 0 ? '<' : '>');
}

function compare(one: Version, other: Version): number {
  return compareMain(one, other) || comparePre(one.pre, other.pre);
}

function compareMain({ main: one }: Version, { main: other }: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function comparePre(one: readonly string[], other: readonly string[]): number {
  // A release is newer than its prereleases.
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (const [index, left] of one.entries()) {
    const right = other[index];
    if (right === undefined) return 1;
    if (left === right) continue;
    const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (isLeft && isRight) return Number(left) - Number(right) || 0;
    return isLeft !== isRight ? (isLeft ? -1 : 1) : left < right ? -1 : 1;
  }
  return one.length - other.length;
}
