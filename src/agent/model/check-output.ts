import { formatPath } from '../../tool/texts/explain-issues.ts';
import type { SchemaReader } from '../../tool/schema/read-schema.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** A valid answer, or the reason why it is invalid. */
type CheckedOutput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

/** Parses an answer as JSON, even inside a code block, and validates it. */
export async function checkOutput(schema: SchemaReader, text: string): Promise<CheckedOutput> {
  const body = /^\s*```(?:json)?\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    return { ok: false, reason: `it is not JSON: ${messageOf(error)}.` };
  }
  const validation = await schema.validate(value);
  if (validation.ok) return validation;
  const issues = validation.issues.map(({ path, message }) => `${formatPath(path) || 'it'}: ${message}`);
  return { ok: false, reason: issues.join('; ') };
}
