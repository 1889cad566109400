/** Tells whether a text matches a pattern anywhere in it. */
export type PatternTest = (text: string) => boolean;

/** Compiles a JSON Schema `pattern`: Unicode rules first, plain rules where only those accept it. Throws `SyntaxError`. */
export function compilePattern(source: string): PatternTest {
  const expression = toRegExp(source);
  return (text) => expression.test(text);
}

/** What is wrong with a pattern, or `undefined` when it compiles. */
export function patternFault(source: string): string | undefined {
  try {
    toRegExp(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
  }
}

function toRegExp(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}
