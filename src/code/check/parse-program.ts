import { stripTypeScriptTypes } from 'node:module';
import { type Program, parse } from 'acorn';

/** A fault at a position in a program. */
export interface ProgramFault {
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1. */
  readonly column: number;
  readonly message: string;
}

/** A parsed program, or the fault that prevents parsing. */
export type ParsedProgram =
  | {
      readonly ok: true;
      readonly ast: Program;
      /** JavaScript with every character at its original position. */
      readonly code: string;
    }
  | { readonly ok: false; readonly fault: ProgramFault };

/** Parses JavaScript or TypeScript. Node strips types, but only if there are any, because that takes time. */
export function parseProgram(code: string, plain: ParsedProgram = parseJavaScript(code)): ParsedProgram {
  if (plain.ok) return plain;
  const stripped = stripTypes(code);
  if (!stripped.ok)
    return stripped.isSyntax ? { ok: false, fault: furtherFault(plain.fault, stripped.fault) } : stripped;
  return parseJavaScript(stripped.code);
}

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
    // Acorn throws SyntaxErrors with a position.
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

/** Node strips only whole files, in which `return` is illegal, so the program is wrapped in a function on its own line. */
function stripTypes(code: string): Stripped {
  const head = 'async function program() {\n';
  // oxlint-disable-next-line typescript/unbound-method -- it is put back below
  const { emitWarning } = process;
  // Node warns that the function is experimental; users of the board should not see that.
  process.emitWarning = () => {};
  try {
    return { ok: true, code: stripTypeScriptTypes(`${head}${code}\n}`).slice(head.length, -2) };
  } catch (thrown) {
    const { message, stack = '', code: name } = thrown as Error & { readonly code?: string };
    // The stack overflowed, and Node's type stripper may be broken now: the thread must end.
    if (name === 'ERR_INTERNAL_ASSERTION') throw thrown;
    const isSyntax = name !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
    const hint = isSyntax ? '' : ' Write it without: use plain objects, unions and functions.';
    const said = isSyntax ? `Syntax error: ${message}.` : `${message}.${hint}`;
    return { ok: false, isSyntax, fault: { ...positionIn(stack), message: said } };
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Reads the position from Node's message, which shows the line and marks the column below it. */
function positionIn(stack: string): { line: number; column: number } {
  const lines = stack.split('\n');
  const line = Number(/:(\d+)$/.exec(lines[0] ?? '')?.[1] ?? 2) - 1;
  const mark = lines.find((text) => /^\s*\^+\s*$/.test(text));
  return { line: Math.max(1, line), column: (mark?.indexOf('^') ?? 0) + 1 };
}

/** Both parsers failed: the one that got further found the real fault. */
function furtherFault(plain: ProgramFault, typed: ProgramFault): ProgramFault {
  const isFurther = typed.line > plain.line || (typed.line === plain.line && typed.column > plain.column);
  return isFurther ? typed : plain;
}
