import { exhaustion } from './exhausting-programs.test-helper.ts';

/** A program that means harm, and what may come of it. */
export interface HostileProgram {
  readonly name: string;
  readonly code: string;
  readonly input?: unknown;
  /** Accepts a returned value; any typed error is fine. Default: anything without a trace of the host. */
  readonly returns?: (value: unknown) => boolean;
}

/** Names that code of the host sees and code of the sandbox must not. */
const LOOK = `typeof process + typeof require + typeof fetch + typeof module + typeof __send + typeof WebAssembly + typeof Worker + typeof setTimeout`;
const NOTHING = 'undefined'.repeat(8);

const STARTS = [
  'this',
  'globalThis',
  'tools',
  'tools.echo',
  'tools.echo.try',
  'tools["__proto__"]',
  'tools.constructor',
  'search',
  'describe',
  'outputs',
  'outputs.read',
  'sleep',
  'console',
  'console.log',
  'input',
  '[]',
  '({})',
  '(() => {})',
  '(async () => {})',
  '(function* () {})',
  '(async function* () {})',
  '/x/',
  'new Error("x")',
  'new Proxy({}, {})',
  'new Proxy(function () {}, {})',
  'Promise.resolve()',
  'await tools.echo({ value: { a: 1 } })',
  'await tools.fail({}).catch((error) => error)',
  '(await tools.fail.try({})).error',
  'ToolError',
  'JSON',
  'Reflect',
  'Math',
  'new Date()',
  '"text"',
  '1',
  'true',
  'Symbol.iterator',
  '10n',
  'new Map()',
  'new WeakRef({})',
  'new Uint8Array(8)',
  'new Uint8Array(8).buffer',
  'globalThis["__settle"]',
  'performance',
  'Iterator',
  'new FinalizationRegistry(() => {})',
  'arguments',
  'new.target',
  'Object.getOwnPropertyDescriptor(tools, "x")',
];

const WALKS = [
  (x: string) => `${x}.constructor.constructor`,
  (x: string) => `${x}.__proto__.constructor.constructor`,
  (x: string) => `Object.getPrototypeOf(${x}).constructor.constructor`,
  (x: string) => `Reflect.get(Reflect.getPrototypeOf(Object(${x})), "constructor").constructor`,
  (x: string) => `${x}.toString.constructor`,
  (x: string) => `${x}.valueOf.constructor`,
  (x: string) => `Object(${x})["__look" + "upGetter__"].constructor`,
  (x: string) => `Object.getPrototypeOf(async () => ${x}).constructor`,
];

/** Walks from all that a program can touch to a function that makes code, which then looks for the host. */
function walks(): HostileProgram[] {
  return STARTS.flatMap((start) =>
    WALKS.map((walk) => ({
      name: `walk ${walk(start)}`,
      code: `const look = async (Make) => Make("return ${LOOK}")();
        let found;
        try { found = await look(${walk(start)}); } catch (error) { found = "threw"; }
        return found;`,
      returns: (value: unknown) =>
        value === 'threw' || value === NOTHING || value === undefined || typeof value === 'object',
    })),
  );
}

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'then',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'caller',
  'callee',
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  'echo\\0',
  'echo ',
  'ECHO',
  'run_code',
  'call_tool',
  'search_tools',
  'describe_tool',
  'forbidden',
  '\\u202eecho',
  '\\ud800',
  'x'.repeat(5_000),
  'constructor.constructor',
  '__defineGetter__',
  'Symbol(Symbol.iterator)',
  '[object Object]',
  '-1',
  '0',
  'NaN',
  'undefined',
  'null',
  'tools',
  'try',
  'apply',
  'call',
  'bind',
  'length',
  'name',
];

/** Names that mean something to JavaScript, a shell, a path or the board, as names of tools. */
function names(): HostileProgram[] {
  return NAMES.flatMap((name) =>
    [
      `await tools["${name}"]({ value: 1 })`,
      `await tools["${name}"].try({ value: 1 })`,
      `await describe("${name}")`,
      `await outputs.read("${name}")`,
      `await (({ ["${name}"]: tool }) => tool({ value: 1 }))(tools)`,
    ].map((use) => ({
      name: use,
      // Through a variable, so that nothing is found before it runs.
      code: `const all = tools; return ${use.replaceAll('tools', 'all').replaceAll('call_all', 'call_tools').replaceAll('"all"', '"tools"')};`,
      returns: (value: unknown) => !JSON.stringify(value ?? null).includes('reached'),
    })),
  );
}

const VALUES = [
  '{ get value() { throw new Error("x"); } }',
  '{ get value() { return tools.echo({ value: 2 }); } }',
  '{ toJSON() { return { value: "json" }; } }',
  '{ toJSON() { throw 1; } }',
  '{ toJSON() { return undefined; } }',
  'new Proxy({}, { get: (_, key) => key, ownKeys: () => ["value"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) })',
  'new Proxy({}, { ownKeys: () => { throw new Error("x"); } })',
  'new Proxy({}, { get: (target, key, receiver) => receiver })',
  '(() => { const a = {}; a.value = a; return a; })()',
  '{ value: 10n }',
  '{ value: Symbol("x") }',
  '{ value: () => 1 }',
  '{ value: undefined }',
  '{ value: NaN }',
  '{ value: -0 }',
  '{ value: new Map([[1, 2]]) }',
  '{ value: new Uint8Array(1000) }',
  '{ value: new Date(NaN) }',
  '{ value: /x/g }',
  '{ value: new Error("x") }',
  '{ value: Promise.resolve(1) }',
  '{ value: tools }',
  '{ value: globalThis }',
  '{ value: console }',
  'JSON.parse(\'{"__proto__":{"polluted":true},"value":1}\')',
  '{ value: JSON.parse(\'{"__proto__":{"polluted":true}}\') }',
  '{ value: JSON.parse(\'{"constructor":{"prototype":{"polluted":true}}}\') }',
  '{ ["__proto__"]: { polluted: true }, value: 1 }',
  '{ value: "x".repeat(3_000_000) }',
  '{ value: "\\ud800" }',
  '{ value: "\\u0000" }',
  '{ value: [..."x".repeat(1000)] }',
  '{ value: Array(100000).fill([]) }',
  '(() => { let a = 1; for (let i = 0; i < 5000; i++) a = [a]; return { value: a }; })()',
  '(() => { let a = 1; for (let i = 0; i < 99; i++) a = { a }; return { value: a }; })()',
  'null',
  '[]',
  '"text"',
  '1',
  'true',
  '() => 1',
  'Symbol()',
  'undefined',
  'Object.create(null)',
  'new (class A { value = 1 })()',
  '{ value: 1, extra: 2 }',
  '{ value: { then: (resolve) => resolve(1) } }',
  'new String("text")',
  'Object.freeze({ value: 1 })',
];

/** Values that behave badly, as arguments, results and errors. */
function values(): HostileProgram[] {
  return VALUES.flatMap((value) =>
    [
      `return await tools.echo(${value});`,
      `return await tools.echo.try(${value});`,
      `return ${value};`,
      `throw ${value};`,
      `console.log(${value}); return 1;`,
      `await Promise.all([tools.echo(${value}), tools.echo(${value})]); return 1;`,
      `return await search(${value}, ${value});`,
      `return await sleep(${value});`,
    ].map((code) => ({ name: code, code: `const all = tools; ${code.replaceAll('tools.', 'all.')}` })),
  );
}

const TAMPERED = [
  'JSON.parse',
  'JSON.stringify',
  'Promise.prototype.then',
  'Promise.resolve',
  'Object.defineProperty',
  'Object.create',
  'Object.freeze',
  'Reflect.apply',
  'Reflect.defineProperty',
  'Array.prototype.join',
  'Array.prototype.push',
  'Function.prototype.call',
  'Function.prototype.apply',
  'String.prototype.slice',
  'Map.prototype.get',
  'Error.prototype.toString',
  'Object.prototype.toString',
  'Array.isArray',
  'Symbol.prototype.toString',
  'Error.captureStackTrace',
  'Promise.prototype.constructor',
];
const TAMPERERS = [
  (place: string) => `${place} = () => { throw new Error("tampered"); }`,
  (place: string) => `${place} = () => ({ ok: true, value: "forged" })`,
  (place: string) => `${place} = new Proxy(function () {}, { apply: (_, self, args) => args[0] })`,
];

/** Built-in functions replaced before the bridge is used, and traps on the prototypes of everything. */
function tampering(): HostileProgram[] {
  const replaced = TAMPERED.flatMap((place) =>
    TAMPERERS.map((tamper) => ({
      name: `tamper ${tamper(place)}`,
      code: `try { ${tamper(place)}; } catch {} const made = await tools.echo({ value: "real" }); return made;`,
      // The program may get a value that it made itself; the tool received the real one.
    })),
  );
  const traps = [
    'code',
    'message',
    'call',
    'tool',
    'issues',
    'resolve',
    'reject',
    'stack',
    'then',
    'number',
    '1',
    'name',
    'try',
    'toJSON',
    'get',
  ].map((key) => ({
    name: `trap ${key}`,
    code: `Object.defineProperty(Object.prototype, "${key}", { configurable: true, get() { return () => "trapped"; }, set() { throw new Error("trap"); } });
        const all = tools; try { await all.fail({}); } catch {} return await all.echo({ value: 1 });`,
  }));
  const bridge = [
    'globalThis.__settle(1, true, "1")',
    'globalThis.__settle(999, true, "1")',
    'globalThis.__settle = () => true',
    'delete globalThis.__settle',
    'Object.defineProperty(globalThis, "__settle", { value: () => true })',
    'globalThis.__run(async () => 2, "{}")',
    'globalThis.tools = {}',
    'tools.echo = 1',
    'Object.setPrototypeOf(tools, null)',
    'Object.defineProperty(tools, "x", { value: 1 })',
    'delete tools.echo',
    'tools.echo.try = 1',
    'Object.freeze(globalThis)',
    'Object.preventExtensions(globalThis)',
    'globalThis.ToolError = class {}',
    'globalThis.console = null',
    'globalThis.input = 1',
    'Object.prototype.__proto__ = null',
    'Promise.prototype.__proto__ = null',
  ].map((act) => ({
    name: act,
    code: `const all = tools; try { ${act.replaceAll('tools.', 'all.').replaceAll('(tools', '(all')}; } catch {} const pending = all.echo({ value: 1 });
      try { ${act.replaceAll('tools.', 'all.').replaceAll('(tools', '(all')}; } catch {} return await pending;`,
  }));
  return [...replaced, ...traps, ...bridge];
}

/** Pieces of programs put together at random, the same ones each time. */
function soups(count: number): HostileProgram[] {
  let state = 42;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pick = (list: readonly string[]): string => list[random(list.length)] ?? '';
  return Array.from({ length: count }, (_, number) => {
    const parts = Array.from({ length: 1 + random(4) }, () => {
      switch (random(6)) {
        case 0:
          return `try { ${pick(TAMPERED)} = ${pick(VALUES)}; } catch {}`;
        case 1:
          return `try { await all.echo(${pick(VALUES)}); } catch {}`;
        case 2:
          return `try { globalThis[${JSON.stringify(pick(['tools', 'Promise', 'JSON', 'Object', 'Array', 'Error', '__settle', 'console']))}] = ${pick(VALUES)}; } catch {}`;
        case 3:
          return `try { Object.prototype[${JSON.stringify(pick(['then', 'toJSON', 'value', 'constructor', 'code', 'call']))}] = ${pick(VALUES)}; } catch {}`;
        case 4:
          return `try { (${pick(STARTS)}).constructor.constructor("globalThis.x = 1")(); } catch {}`;
        default:
          return `void all.echo.try(${pick(VALUES)});`;
      }
    });
    const code = parts.join('\n').replaceAll('tools.', 'all.');
    return {
      name: `soup ${number}: ${code}`,
      code: `const all = tools;\n${code}\nreturn all.echo.try(${pick(VALUES).replaceAll('tools.', 'all.')});`,
    };
  });
}

/** Every program. */
export function hostilePrograms(): HostileProgram[] {
  return [...walks(), ...names(), ...values(), ...tampering(), ...exhaustion(), ...soups(150)];
}
