/** A part of a value that JSON refuses or loses. */
export interface JsonFault {
  /** Dotted path from the whole value; empty for the value itself. */
  readonly path: string;
  /** Describes the part: `is a Map`. */
  readonly what: string;
  /** A sentence that says what to return instead, or an empty text. */
  readonly remedy: string;
  /** True for a value with too many parts, which JSON could represent. */
  readonly isTooMuch?: true;
}

/** JSON represents a value unchanged, in another form (a `Date` becomes a text), or not at all. */
type JsonFit = 'same' | 'changed' | JsonFault;

const DEEPEST = 1_000;

/** Maximum values (keys and items) of a result: with this many, later steps take a second. */
export const MOST_VALUES = 1_000_000;

/** Parts with fewer values are walked again at each place: remembering them would cost more. */
const REMEMBERED = 64;

/** A part that JSON represents unchanged, which may appear in several places. */
interface KnownPart {
  readonly values: number;
  readonly depth: number;
}

/** The objects around a part, the number of values still allowed, the deepest level so far, and large parts that were walked. */
interface Walk {
  readonly above: object[];
  left: number;
  deepest: number;
  known?: Map<object, KnownPart>;
}

/** Advice for objects that are not plain, by kind. */
const REMEDIES: Readonly<Record<string, string>> = {
  Map: 'Return Object.fromEntries(map), or [...map].',
  Set: 'Return [...set].',
  Error: 'Throw it, or return its message.',
  Promise: 'Await it first.',
  ArrayBuffer: 'Return base64, or a list of numbers.',
};

/** Kinds of objects that JSON writes by value or fields. */
const CARRIED = new Set(['Object', 'Array', 'Number', 'String', 'Boolean', 'Arguments']);

/** Checks how JSON represents a value. `JSON.stringify` silently writes `{}` for a Map, a Set or an Error. */
export function fitJson(value: unknown): JsonFit {
  return judge(value, { above: [], left: MOST_VALUES, deepest: 0 });
}

/** Returns a value in the form it has after a JSON round trip. */
export function toJsonValue(value: unknown): unknown {
  return fitJson(value) === 'same' ? value : JSON.parse(JSON.stringify(value) ?? 'null');
}

function judge(value: unknown, walk: Walk): JsonFit {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return 'same';
    case 'number':
      return Number.isFinite(value) ? 'same' : 'changed';
    case 'object':
      return value === null ? 'same' : judgeObject(value, walk);
    case 'bigint':
      return hasToJson(value) ? 'changed' : fault('is a BigInt', 'Return Number(value), or String(value).');
    case 'function':
    case 'symbol':
      // Inside an object, JSON omits it.
      return walk.above.length === 0 ? fault(`is a ${typeof value}`) : 'changed';
    default:
      return 'changed';
  }
}

/** Judges an object. A large one that appears in many places is walked once: a few shared lists can represent any number of values. */
function judgeObject(value: object, walk: Walk): JsonFit {
  const level = walk.above.length;
  const part = walk.known?.get(value);
  if (part !== undefined) {
    walk.left -= part.values;
    walk.deepest = Math.max(walk.deepest, level + part.depth);
    if (walk.left < 0) return TOO_MANY;
    return level + part.depth > DEEPEST ? fault('is nested too deeply') : 'same';
  }
  const { left, deepest } = walk;
  walk.deepest = level;
  const fit = judgeParts(value, walk);
  const values = left - walk.left;
  if (fit === 'same' && values >= REMEMBERED)
    (walk.known ??= new Map()).set(value, { values, depth: walk.deepest - level });
  walk.deepest = Math.max(deepest, walk.deepest);
  return fit;
}

function judgeParts(value: object, walk: Walk): JsonFit {
  const { above } = walk;
  if (above.includes(value)) return fault('contains itself');
  if (above.length > DEEPEST) return fault('is nested too deeply');
  if (hasToJson(value)) return 'changed';
  const isList = Array.isArray(value);
  const isPlain = isList || isOrdinary(value);
  const lost = isPlain ? undefined : findLoss(value);
  if (lost !== undefined) return lost;
  const keys = isList ? undefined : Object.keys(value);
  const length = isList ? value.length : (keys?.length ?? 0);
  // A shared list counts at each place, as in JSON.
  walk.left -= length;
  if (walk.left < 0) return TOO_MANY;
  let fit: JsonFit = isPlain ? 'same' : 'changed';
  above.push(value);
  for (let place = 0; place < length; place++) {
    const key = keys?.[place] ?? place;
    // The key is one of the object's own.
    const part = judge((value as Record<string | number, unknown>)[key], walk);
    if (part === 'same') continue;
    if (part !== 'changed') {
      return part.isTooMuch === true ? part : { ...part, path: part.path === '' ? `${key}` : `${key}.${part.path}` };
    }
    fit = 'changed';
  }
  above.pop();
  return fit;
}

// MOST_VALUES, written out: formatting a number loads Node's locale data, a third of the time of `import 'pegboard'`.
const TOO_MANY: JsonFault = {
  path: '',
  what: 'contains more than 1,000,000 values (keys and items)',
  remedy: 'Ask it for less, or for a file.',
  isTooMuch: true,
};

function isOrdinary(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Finds built-in objects whose content JSON does not see; fields of other classes are written. */
function findLoss(value: object): JsonFault | undefined {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  const article = /^[AEIO]/.test(kind) ? 'an' : 'a';
  if (kind === 'Error' || value instanceof Error) return fault('is an Error', REMEDIES['Error']);
  if (ArrayBuffer.isView(value)) return fault(`is ${article} ${kind}`, REMEDIES['ArrayBuffer']);
  if (CARRIED.has(kind)) return undefined;
  const isLost = kind === 'Map' || kind === 'Set' || Object.keys(value).length === 0;
  return isLost ? fault(`is ${article} ${kind}`, REMEDIES[kind]) : undefined;
}

function hasToJson(value: object | bigint): boolean {
  return typeof (value as { readonly toJSON?: unknown }).toJSON === 'function';
}

function fault(what: string, remedy = ''): JsonFault {
  return { path: '', what, remedy };
}
