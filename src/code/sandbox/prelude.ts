/**
 * The environment of a program, as code for the engine inside the sandbox.
 *
 * It uses `__send` and defines `__settle`, both for the host only. It keeps references to the functions it needs, so that a
 * program that changes prototypes harms only itself. The state of calls is in the engine's memory, so a snapshot includes it.
 */
export const PRELUDE = String.raw`(() => {
'use strict';
const send = globalThis.__send;
delete globalThis.__send;
const { parse, stringify } = JSON;
const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys, deleteProperty } = Reflect;
const { create, freeze } = Object;
const { then } = Promise.prototype;
const OwnPromise = Promise;
const OwnError = Error;
const OwnTypeError = TypeError;
const OwnString = String;
const slice = String.prototype.slice;
const join = Array.prototype.join;
const isArray = Array.isArray;

class ToolError extends OwnError {
  constructor(fault) {
    super(fault.message);
    defineProperty(this, 'name', { value: 'ToolError', enumerable: false });
    this.code = fault.code;
    this.tool = fault.tool;
    this.issues = fault.issues === undefined ? [] : fault.issues;
    this.recoverable = fault.recoverable === true;
    defineProperty(this, 'call', { value: fault.call, enumerable: false });
  }
}
const calls = create(null);
let count = 0;

const ask = (kind, name, args) => new OwnPromise((resolve, reject) => {
  let text;
  try {
    text = stringify(args === undefined ? {} : args);
    if (typeof text !== 'string') throw new OwnTypeError('they are no JSON');
  } catch (error) {
    const what = name === '' ? kind : 'tools.' + name;
    const reason = typeof error === 'object' && error !== null ? OwnString(error.message) : 'they are no JSON';
    reject(new ToolError({ code: 'invalid_arguments', message: 'The arguments of ' + what + ' cannot be sent: ' + reason + '.', tool: name === '' ? undefined : name }));
    return;
  }
  const number = ++count;
  const call = create(null);
  call.resolve = resolve;
  call.reject = reject;
  call.stack = new OwnError('').stack;
  calls[number] = call;
  send(kind, name, text);
});

defineProperty(globalThis, '__settle', { enumerable: false, configurable: false, writable: false, value: (number, ok, text) => {
  const call = calls[number];
  if (call === undefined) return false;
  delete calls[number];
  let value;
  try {
    value = text === '' ? undefined : parse(text);
  } catch (error) {
    call.reject(error);
    return true;
  }
  if (ok) call.resolve(value);
  else {
    value.call = number;
    const failure = new ToolError(value);
    defineProperty(failure, 'stack', { value: call.stack, configurable: true, writable: true, enumerable: false });
    call.reject(failure);
  }
  return true;
} });

const toResult = (value) => ({ ok: true, data: value });
const toFailure = (error) => ({ ok: false, error: { code: error.code, message: error.message, tool: error.tool, issues: error.issues, recoverable: error.recoverable } });
const known = create(null);
const toolOf = (name) => {
  if (known[name] !== undefined) return known[name];
  const tool = (args) => ask('tool', name, args);
  const attempt = (args) => apply(then, ask('tool', name, args), [toResult, toFailure]);
  defineProperty(tool, 'name', { value: name });
  defineProperty(tool, 'try', { value: attempt, enumerable: true });
  return (known[name] = freeze(tool));
};
const readOnly = () => { throw new OwnTypeError('tools cannot be changed'); };
const tools = new Proxy(freeze(create(null)), {
  get: (_, name) => (typeof name === 'symbol' || name === 'then' || name === 'toJSON' ? undefined : toolOf(name)),
  has: (_, name) => typeof name === 'string' && name !== 'then',
  set: readOnly,
  defineProperty: readOnly,
  deleteProperty: readOnly,
});

const show = (value) => {
  if (typeof value === 'string') return value;
  if (value instanceof OwnError) return OwnString(value.name) + ': ' + OwnString(value.message);
  try {
    const text = stringify(value);
    return typeof text === 'string' ? text : OwnString(value);
  } catch {
    try { return OwnString(value); } catch { return '[object]'; }
  }
};
const log = (...values) => {
  const parts = [];
  for (let at = 0; at < values.length; at++) parts[at] = show(values[at]);
  send('log', '', apply(slice, apply(join, parts, [' ']), [0, 20000]));
};
const set = (name, value) => defineProperty(globalThis, name, { value, enumerable: false, configurable: true, writable: true });
set('tools', tools);
set('search', (query, options) => ask('search', '', { query, ...options }));
set('describe', (name) => ask('describe', '', { name }));
set('outputs', freeze({ read: (id, range) => ask('read', '', { id, ...range }) }));
set('sleep', (milliseconds) => ask('sleep', '', { milliseconds }));
set('console', freeze({ log, info: log, warn: log, error: log, debug: log }));
set('ToolError', ToolError);

const finish = (value) => {
  let text;
  try {
    text = stringify(value);
  } catch (error) {
    fail(error);
    return;
  }
  if (text === undefined) send('returned', '', '');
  else send('returned', 'json', text);
};
const fail = (error) => {
  const isError = typeof error === 'object' && error !== null;
  const read = (key) => {
    try {
      const value = isError ? error[key] : undefined;
      return typeof value === 'string' || typeof value === 'number' ? value : undefined;
    } catch { return undefined; }
  };
  const message = isError ? (read('message') ?? show(error)) : show(error);
  const isTool = error instanceof ToolError;
  const fault = create(null);
  fault.name = OwnString(read('name') ?? 'Error');
  fault.message = apply(slice, OwnString(message), [0, 4000]);
  fault.stack = apply(slice, OwnString(read('stack') ?? ''), [0, 4000]);
  if (isTool) fault.call = read('call');
  send('threw', '', stringify(fault));
};
defineProperty(globalThis, '__run', { configurable: true, value: (program, input) => {
  deleteProperty(globalThis, '__run');
  set('input', parse(input));
  apply(then, program(), [finish, fail]);
} });
})()`;
