import { stripTypeScriptTypes } from 'node:module';
import { type Program, parse } from 'acorn';

/** A place in a program where something is wrong. */
export interface ProgramFault {
  /** From 1 on. */
  readonly line: number;
  /** From 1 on. */
  readonly column: number;
  readonly message: string;
}

/** A program that can be read, or why not. */
export type ParsedProgram =
  | {
      readonly ok: true;
      readonly ast: Program;
      /** JavaScript, each character where it was in the program. */
      readonly code: string;
    }
  | { readonly ok: false; readonly fault: ProgramFault };

/** Reads JavaScript or TypeScript. Types are taken out by Node itself, and only where there are any: that takes time. */
export function parseProgram(code: string, plain: ParsedProgram = parseJavaScript(code)): ParsedProgram {
  if (plain.ok) return plain;
  const stripped = stripTypes(code);
  if (!stripped.ok) return stripped.isSyntax ? { ok: false, fault: nearer(plain.fault, stripped.fault) } : stripped;
  return parseJavaScript(stripped.code);
}

/** Reads JavaScript alone. */
export function parseJavaScript(code: string): ParsedProgram {
  try {
    const ast = parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      locations: true,
    });
    return { ok: true, ast, code };
  } catch (thrown) {
    // Acorn throws SyntaxErrors with a place.
    const { message, loc } = thrown as SyntaxError & {
      readonly loc?: { readonly line: number; readonly column: number };
    };
    const said = message.replace(/ \(\d+:\d+\)$/, '');
    return {
      ok: false,
      fault: { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1, message: `Syntax error: ${said}.` },
    };
  }
}

type Stripped =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly isSyntax: boolean; readonly fault: ProgramFault };

/** A program may `return`, and Node strips whole files: it is given one function, on a line of its own. */
function stripTypes(code: string): Stripped {
  const head = 'async function program() {\n';
  // oxlint-disable-next-line typescript/unbound-method -- it is put back below
  const { emitWarning } = process;
  // Node warns that the function is new. The readers of these warnings are people who wrote no program.
  process.emitWarning = () => {};
  try {
    return { ok: true, code: stripTypeScriptTypes(`${head}${code}\n}`).slice(head.length, -2) };
  } catch (thrown) {
    const { message, stack = '', code: name } = thrown as Error & { readonly code?: string };
    // The stack was too small for it, and what is left of Node's remover of types may be of no use: its thread ends.
    if (name === 'ERR_INTERNAL_ASSERTION') throw thrown;
    const isSyntax = name !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
    const hint = isSyntax ? '' : ' Write it without: use plain objects, unions and functions.';
    const said = isSyntax ? `Syntax error: ${message}.` : `${message}.${hint}`;
    return { ok: false, isSyntax, fault: { ...placeIn(stack), message: said } };
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Node shows the line, those around it, and marks the place below it. */
function placeIn(stack: string): { line: number; column: number } {
  const lines = stack.split('\n');
  const line = Number(/:(\d+)$/.exec(lines[0] ?? '')?.[1] ?? 2) - 1;
  const mark = lines.find((text) => /^\s*\^+\s*$/.test(text));
  return { line: Math.max(1, line), column: (mark?.indexOf('^') ?? 0) + 1 };
}

/** Of two readings of a program that is wrong in both, the one that came further saw the fault. */
function nearer(plain: ProgramFault, typed: ProgramFault): ProgramFault {
  const isFurther = typed.line > plain.line || (typed.line === plain.line && typed.column > plain.column);
  return isFurther ? typed : plain;
}
