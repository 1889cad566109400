/** Names that every program has: those of the language and those of the board. */
export const KNOWN_NAMES: ReadonlySet<string> = new Set(
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
const NO_MODULES = 'Programs have no modules: all they need is there without an import.';
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
export function explainName(name: string): string {
  const hint = Object.hasOwn(INSTEAD, name)
    ? INSTEAD[name]
    : `Declare it first, or use tools.${name}(…) if it is a tool.`;
  return `${name} is not defined in programs. ${hint}`;
}

/** Advice for programs that use `import`. */
export const NO_IMPORT: string = NO_MODULES;
