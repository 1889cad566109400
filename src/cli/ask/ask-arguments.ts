import { coerceInput } from '../../tool/schema/coerce-input.ts';
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
    const answer = await ask(parameter, context);
    if (answer === undefined) continue;
    const typed = coerceInput(inputSchema, joinPairs(inputSchema, { [parameter.name]: answer }));
    asked[parameter.name] = isPlainObject(typed) ? typed[parameter.name] : answer;
  }
  return { ...given, ...asked };
}

async function ask({ name, schema, isRequired }: Parameter, context: CliContext): Promise<unknown> {
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
          validate: (value) => (isRequired && (value ?? '') === '' ? 'The tool needs it.' : undefined),
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
  if (type === 'array') return '["a", "b"]';
  return type === 'object' ? '{"key": "value"}' : '';
}
