import type { Expression, ExpressionStatement, Node, Program, SpreadElement } from 'acorn';
import { type ParsedProgram, parseProgram, type ProgramFault } from './parse-program.ts';
import { surveyProgram, type ToolUse } from './survey-program.ts';

type ProgramPlace = Pick<ProgramFault, 'line' | 'column'>;

/** A tool that a program names, with its arguments as far as the code shows them. */
export interface ReadUse extends ProgramPlace {
  readonly name: string;
  /** The arguments, if they are literals. */
  readonly given?: (PartialValue & ProgramPlace) | undefined;
  /** A second argument, which no tool takes. */
  readonly extra?: ProgramPlace | undefined;
}

/** Everything that can be read from a program without knowing the tools: plain data that can be sent between threads. */
export interface ProgramReading {
  /** JavaScript that returns the value of its last expression; `undefined` if the program cannot be parsed. */
  readonly code: string | undefined;
  /** At most `MOST_FAULTS` + 1. */
  readonly faults: readonly ProgramFault[];
  /** At most `MOST_USES`; further calls are checked when they are made. */
  readonly uses: readonly ReadUse[];
}

/** The most faults shown: a model fixes a few at a time. */
export const MOST_FAULTS = 20;
const MOST_USES = 2_000;

/** Reads a program; pass `parsed` if it is already parsed. */
export function readProgram(code: string, parsed: ParsedProgram = parseProgram(code)): ProgramReading {
  if (!parsed.ok) return { code: undefined, faults: [parsed.fault], uses: usesByName(code) };
  const { tools, free, modules } = surveyProgram(parsed.ast);
  const unknown = free.filter(({ name }) => !KNOWN_NAMES.has(name)).slice(0, MOST_FAULTS + 1);
  const faults = [
    ...modules.slice(0, MOST_FAULTS + 1).map((node) => ({ ...placeOf(node), message: NO_IMPORT })),
    ...unknown.map((node) => ({ ...placeOf(node), message: explainName(node.name) })),
  ];
  return {
    code: returnLast(parsed.ast, parsed.code),
    faults: faults.slice(0, MOST_FAULTS + 1),
    uses: tools.slice(0, MOST_USES).map(toReadUse),
  };
}

function toReadUse({ name, node, call }: ToolUse): ReadUse {
  const use = { name, ...placeOf(node) };
  if (call === undefined) return use;
  const [argument, extra] = call.arguments;
  if (extra !== undefined) return { ...use, extra: placeOf(extra) };
  const given = readLiteral(argument);
  return given === undefined ? use : { ...use, given: { ...given, ...placeOf(argument ?? call) } };
}

/** Finds tool names in code that cannot be parsed. */
function usesByName(code: string): ReadUse[] {
  const uses: ReadUse[] = [];
  let [line, start] = [1, 0];
  for (const { 1: name = '', index } of code.matchAll(/(?<![\w$.])tools\.([A-Za-z_$][\w$]*)/g)) {
    // Continues counting lines from the previous name.
    for (let end = code.indexOf('\n', start); end !== -1 && end < index; end = code.indexOf('\n', start)) {
      line++;
      start = end + 1;
    }
    uses.push({ name, line, column: index - start + 1 });
    if (uses.length === MOST_USES) break;
  }
  return uses;
}

function placeOf({ loc }: Node): ProgramPlace {
  return { line: loc?.start.line ?? 1, column: (loc?.start.column ?? 0) + 1 };
}

/** Makes a program without `return` return the value of its last expression; a program that is a function is called. */
function returnLast({ body }: Program, code: string): string {
  const last = body.at(-1);
  if (last?.type !== 'ExpressionStatement' || body.some(returns)) return code;
  const { expression } = last;
  const isFunction = expression.type === 'ArrowFunctionExpression' || expression.type === 'FunctionExpression';
  const value = body.length === 1 && isFunction ? `(${textOf(last, code)})()` : `(${textOf(last, code)})`;
  return `${code.slice(0, last.start)}return ${value};${code.slice(last.end)}`;
}

function textOf({ expression }: ExpressionStatement, code: string): string {
  return code.slice(expression.start, expression.end);
}

/** True when a statement returns from the program itself. */
function returns(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(returns);
  if (!('type' in node)) return false;
  if (node.type === 'ReturnStatement') return true;
  if (typeof node.type === 'string' && /Function|Class|Expression$/.test(node.type)) return false;
  return Object.values(node).some(returns);
}

/** Names that every program has: those of the language and those of the board. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
  [
    'tools search describe outputs sleep console input ToolError',
    'Object Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError SuppressedError Iterator',
    'Array parseInt parseFloat isNaN isFinite queueMicrotask decodeURI decodeURIComponent encodeURI encodeURIComponent escape',
    'unescape Infinity NaN undefined Number Boolean String Math Reflect Symbol DisposableStack globalThis BigInt Date RegExp',
    'JSON Proxy Map Set WeakMap WeakSet ArrayBuffer SharedArrayBuffer Atomics Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array',
    'Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array DataView Promise',
    'AsyncDisposableStack WeakRef FinalizationRegistry DOMException btoa atob performance arguments',
  ]
    .join(' ')
    .split(' '),
);

const NO_NETWORK = 'Programs have no network of their own: call a tool that makes the request.';
const NO_NODE = 'Programs have no files, processes or environment: call tools instead.';
const NO_TIMERS = 'Use await sleep(milliseconds).';
const NO_MODULES = 'Programs have no modules: everything they need is available without an import.';
const NO_PAGE = 'Programs do not run in a browser.';
const NO_CODE = 'Programs do not make code from texts: write it out.';

/** Alternatives for names that programs often use but do not have. */
const INSTEAD: Readonly<Record<string, string>> = {
  fetch: NO_NETWORK,
  XMLHttpRequest: NO_NETWORK,
  WebSocket: NO_NETWORK,
  process: NO_NODE,
  fs: NO_NODE,
  Buffer: NO_NODE,
  Deno: NO_NODE,
  Bun: NO_NODE,
  require: NO_MODULES,
  module: NO_MODULES,
  exports: NO_MODULES,
  setTimeout: NO_TIMERS,
  setInterval: NO_TIMERS,
  setImmediate: NO_TIMERS,
  window: NO_PAGE,
  document: NO_PAGE,
  eval: NO_CODE,
  Function: NO_CODE,
  structuredClone: 'Use JSON.parse(JSON.stringify(value)).',
};

/** Explains why a name is unknown, and what to use instead. */
function explainName(name: string): string {
  const hint = Object.hasOwn(INSTEAD, name)
    ? INSTEAD[name]
    : `Declare it first, or use tools.${name}(…) if it is a tool.`;
  return `${name} is not defined in programs. ${hint}`;
}

/** Advice for programs that use `import`. */
const NO_IMPORT: string = NO_MODULES;

/** The part of an argument that is known before the program runs. */
interface PartialValue {
  readonly value: unknown;
  /** Paths of values that are known only at run time; they are missing from `value`. */
  readonly holes: readonly (readonly (string | number)[])[];
}

/** Larger arguments are only checked by the call. */
const MOST_VALUES = 1_000;

interface Found {
  readonly holes: (readonly (string | number)[])[];
  values: number;
}

/** Reads a literal from the code. `undefined` if nothing of it is known, or it is too large. */
function readLiteral(node: Expression | SpreadElement | undefined): PartialValue | undefined {
  if (node === undefined) return { value: {}, holes: [] };
  const found: Found = { holes: [], values: 0 };
  const value = read(node, [], found);
  return value === UNKNOWN || found.values > MOST_VALUES ? undefined : { value, holes: found.holes };
}

const UNKNOWN = Symbol('unknown');

function read(node: Expression | SpreadElement, path: readonly (string | number)[], found: Found): unknown {
  if (++found.values > MOST_VALUES) return UNKNOWN;
  switch (node.type) {
    case 'Literal':
      return node.value === null || ['string', 'number', 'boolean'].includes(typeof node.value) ? node.value : UNKNOWN;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? UNKNOWN) : UNKNOWN;
    case 'UnaryExpression': {
      const value = node.argument.type === 'Literal' ? node.argument.value : undefined;
      return node.operator === '-' && typeof value === 'number' ? -value : UNKNOWN;
    }
    case 'ArrayExpression': {
      const items: unknown[] = [];
      for (const [place, element] of node.elements.entries()) {
        const value =
          element === null || element.type === 'SpreadElement' ? UNKNOWN : read(element, [...path, place], found);
        // After an unknown element, the positions of the following ones are unknown.
        if (value === UNKNOWN) return UNKNOWN;
        items.push(value);
      }
      return items;
    }
    case 'ObjectExpression': {
      const object: Record<string, unknown> = {};
      for (const property of node.properties) {
        const key = property.type === 'SpreadElement' || property.computed ? undefined : keyOf(property.key);
        // A spread may set any of the fields.
        if (key === undefined || property.type === 'SpreadElement') return UNKNOWN;
        const at = [...path, key];
        const value = property.kind === 'init' ? read(property.value, at, found) : UNKNOWN;
        if (value === UNKNOWN) found.holes.push(at);
        else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      }
      return object;
    }
    default:
      return UNKNOWN;
  }
}

function keyOf(node: Expression | { readonly type: 'PrivateIdentifier' }): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number')
    ? String(node.value)
    : undefined;
}
