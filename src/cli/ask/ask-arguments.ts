import { coerceInput } from '../../tool/schema/coerce-input.ts';
import { readJsonSchema } from '../../tool/schema/read-json-schema.ts';
import { isPlainObject } from '../../tool/json.ts';
import { allParameters, type Parameter, readVariants } from '../../tool/parameters/read-variants.ts';
import type { Tool } from '../../tool/tool.ts';
import type { CliContext } from '../cli-context.ts';
import { joinPairs } from '../command-line/read-arguments.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { gateText } from '../print/gate-output.ts';
import { promptStreams } from './ask-person.ts';

/**
 * Asks the person at the terminal for the arguments of a call that were not given: what is required must be answered, an
 * empty answer leaves the rest out. Throws when the person gives up.
 */
export async function askArguments(
  { inputSchema }: Pick<Tool, 'inputSchema'>,
  given: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<Record<string, unknown>> {
  const parameters = allParameters(readVariants(inputSchema));
  const missing = parameters.filter(({ name }) => !Object.hasOwn(given, name));
  const inOrder = missing.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
  const asked: Record<string, unknown> = {};
  for (const parameter of inOrder) {
    const toValue = (answer: unknown): unknown => {
      const typed = coerceInput(inputSchema, joinPairs(inputSchema, { [parameter.name]: toList(parameter, answer) }));
      return isPlainObject(typed) ? typed[parameter.name] : answer;
    };
    const reader = readerOf(parameter);
    const check = (answer: string): string | undefined => {
      const outcome = reader?.validate({ [parameter.name]: toValue(answer) });
      return outcome === undefined || outcome.ok ? undefined : outcome.issues.map(({ message }) => message).join('; ');
    };
    const answer = await ask(parameter, { context, check });
    if (answer !== undefined) asked[parameter.name] = toValue(answer);
  }
  return { ...given, ...asked };
}

/** What checks one answer; `undefined` where a schema refers to others, which only the whole is checked with. */
function readerOf({ name, schema }: Parameter): ReturnType<typeof readJsonSchema> | undefined {
  try {
    return JSON.stringify(schema).includes('"$ref"')
      ? undefined
      : readJsonSchema({ type: 'object', properties: { [name]: schema } });
  } catch {
    return undefined;
  }
}

/** `h1, h2` is a list of two where the tool takes a list. */
function toList({ schema }: Parameter, answer: unknown): unknown {
  if (schema['type'] !== 'array' || typeof answer !== 'string' || /^\s*\[/.test(answer)) return answer;
  return answer.split(/\s*,\s*/).filter((part) => part !== '');
}

async function ask(
  { name, schema, isRequired }: Parameter,
  { context, check }: { readonly context: CliContext; readonly check: (answer: string) => string | undefined },
): Promise<unknown> {
  const { isCancel, select, text } = await import('@clack/prompts');
  const { description, enum: values, type, default: preset } = schema;
  const about = typeof description === 'string' && description !== '' ? `: ${description}` : '';
  const message = gateText(`${name}${about}${isRequired ? '' : ' (may be left out)'}`);
  const streams = promptStreams(context);
  const choices = type === 'boolean' ? [true, false] : Array.isArray(values) ? values : undefined;
  const answer =
    choices === undefined
      ? await text({
          message,
          ...streams,
          placeholder: preset === undefined ? hintFor(type) : gateText(JSON.stringify(preset)),
          validate: (value = '') => {
            if (value === '') return isRequired ? 'The tool needs it.' : undefined;
            return check(value);
          },
        })
      : await select<unknown>({
          message,
          ...streams,
          options: [
            ...(isRequired ? [] : [{ value: undefined, label: '(leave out)' }]),
            ...choices.map((value: unknown) => ({ value, label: gateText(String(value)) })),
          ],
        });
  if (isCancel(answer)) throw new UsageError('Nothing was called.', 'call');
  return answer === '' ? undefined : answer;
}

function hintFor(type: unknown): string {
  if (type === 'array') return 'one, two';
  return type === 'object' ? 'key=value' : '';
}
