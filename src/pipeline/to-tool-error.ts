import { describeValue } from '../tool/texts/describe-value.ts';
import { copyError, ToolError } from '../tool/tool-error.ts';
import { MASK } from '../guard/secrets/redactor.ts';

/** Converts a thrown value to a typed error with a message for models. */
export function toToolError(thrown: unknown, toolName: string): ToolError {
  if (thrown instanceof ToolError) return withTool(thrown, toolName);
  const message = cleanMessage(messageOf(thrown));
  return new ToolError({
    code: 'execution_failed',
    message: `Tool "${toolName}" failed: ${message}`,
    toolName,
    cause: thrown,
  });
}

/** Adds the tool's name to a `ToolError` that a tool threw. */
function withTool(error: ToolError, toolName: string): ToolError {
  const message = cleanMessage(error.message);
  if (isNamed(error) && message === error.message) return error;
  return copyError(error, { message, toolName, cause: error });
}

export function isNamed({ toolName }: ToolError): boolean {
  return toolName !== undefined && toolName !== '<unnamed>';
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string') return thrown;
  try {
    const json = JSON.stringify(thrown);
    if (typeof json === 'string' && json !== '{}') return json;
  } catch {
    // Not JSON: described below.
  }
  return `it threw ${describeValue(thrown)}`;
}

const MAX_MESSAGE = 4000;

/** Patterns of secrets on any board: credentials in URLs, bearer tokens, keys with a known prefix, key=value. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/:@]{1,256}:[^\s/@]{1,256}@/gi, `$1${MASK}@`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza)[A-Za-z0-9_-]{12,}/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, MASK],
  [
    /\b((?:api[-_]?key|access[-_]?token|auth[-_]?token|token|secret|password|passwd|pwd)["']?\s{0,3}[=:]\s{0,3})(?:"[^"\n]{1,512}"|'[^'\n]{1,512}'|[^\s,;&"'[]{1,512})/gi,
    `$1${MASK}`,
  ],
];

/** Prepares a thrown error's message for a model: removes stack lines and anything that looks like a secret. */
export function cleanMessage(message: string): string {
  const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  let clean = short.replaceAll(/\n\s+at [^\n]*/g, '');
  for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement);
  return clean;
}
