import { coerceInput } from '../../../tool/schema/coerce-input.ts';
import { readJsonSchema } from '../../../tool/schema/read-json-schema.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { allParameters, type Parameter, readVariants } from '../../../tool/parameters/read-variants.ts';
import type { Tool } from '../../../tool/tool.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { joinPairs } from './read-arguments.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { gateText } from '../../shared/print/gate-output.ts';
import { promptStreams } from '../../shared/ask/ask-person.ts';

const LONGEST_HINT = 80;
/** The largest number of optional arguments shown as one list; longer lists are searched by typing. */
const FEW = 12;

/**
 * Asks the person at the terminal for missing arguments of a call: required ones must be answered, and the person
 * chooses which of the others to give. Throws when the person gives up.
 */
export async function askArguments(
  { inputSchema }: Pick<Tool, 'inputSchema'>,
  given: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<Record<string, unknown>> {
  const parameters = allParameters(readVariants(inputSchema));
  const missing = parameters.filter(({ name }) => !Object.hasOwn(given, name));
  const asked: Record<string, unknown> = {};
  const askAll = async (list: readonly Parameter[]): Promise<void> => {
    for (const parameter of list) await askOne(parameter);
  };
  const askOne = async (parameter: Parameter): Promise<void> => {
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
  };
  await askAll(missing.filter(({ isRequired }) => isRequired));
  await askAll(
    await choose(
      missing.filter(({ isRequired }) => !isRequired),
      context,
    ),
  );
  return { ...given, ...asked };
}

function aboutOf({ schema: { description } }: Parameter): string {
  return typeof description === 'string' ? description : '';
}

/** Lets the person choose the optional arguments to give, or none. */
async function choose(optional: readonly Parameter[], context: CliContext): Promise<readonly Parameter[]> {
  if (optional.length === 0) return [];
  const { autocompleteMultiselect, isCancel, multiselect } = await import('@clack/prompts');
  const settings = {
    ...promptStreams(context),
    options: optional.map((parameter) => ({
      value: parameter,
      label: gateText(parameter.name),
      hint: gateText(aboutOf(parameter).slice(0, LONGEST_HINT)),
    })),
    required: false,
    maxItems: FEW,
  };
  const chosen =
    optional.length <= FEW
      ? await multiselect({ message: 'Optional arguments: Space selects, Enter continues', ...settings })
      : await autocompleteMultiselect({
          message: `Optional arguments (${optional.length}): type to search, Tab selects, Enter continues`,
          ...settings,
        });
  if (isCancel(chosen)) throw new UsageError('Nothing was called.', 'call');
  return chosen;
}

/** Creates a check for one answer; `undefined` for a schema with `$ref`, which can only be checked as a whole. */
function readerOf({ name, schema }: Parameter): ReturnType<typeof readJsonSchema> | undefined {
  try {
    return JSON.stringify(schema).includes('"$ref"')
      ? undefined
      : readJsonSchema({ type: 'object', properties: { [name]: schema } });
  } catch {
    return undefined;
  }
}

/** Splits `h1, h2` into two items where the tool takes a list. */
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
  const message = gateText(`${name}${about}`);
  const streams = promptStreams(context);
  const choices = type === 'boolean' ? [true, false] : Array.isArray(values) ? values : undefined;
  const answer =
    choices === undefined
      ? await text({
          message,
          ...streams,
          placeholder: preset === undefined ? hintFor(type) : gateText(JSON.stringify(preset)),
          validate: (value = '') => {
            if (value === '') return isRequired ? 'This argument is required.' : undefined;
            return check(value);
          },
        })
      : await select<unknown>({
          message,
          ...streams,
          options: [
            ...(isRequired ? [] : [{ value: undefined, label: '(skip)' }]),
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
