import { escapeText } from '../../../../tool/texts/escape-variables.ts';
import { isSecretName } from '../../../../guard/secrets/secret-names.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { promptStreams } from '../../../../cli/shared/ask/ask-person.ts';
import { canAsk, type CliContext } from '../../../../cli/shared/cli-context.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { gateText } from '../../../../cli/shared/print/gate-output.ts';
import type { HiddenSecret } from '../hide-secrets.ts';

/** An input that a server's description asks for. */
export interface WantedInput {
  /** The name of a variable, header, argument or setting. */
  readonly key: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** The default, with variables escaped: a server must not choose which of the user's variables and files it gets. */
  readonly fallback: string | undefined;
  readonly choices: readonly string[];
  /** Takes the value of the environment variable with this name. Default: false, because the server chooses the name */
  readonly mayUseEnvironment?: boolean;
}

/** Fills in the inputs of a server: from the command line, the environment, defaults, or the person at the terminal. */
export interface InputFiller {
  /** Returns the value, or a variable for a secret; `undefined` if it is optional and not given. */
  fill(input: WantedInput): Promise<string | undefined>;
  /** The secrets behind variables. */
  readonly secrets: readonly HiddenSecret[];
  /** Notes for the person about the values. */
  readonly notes: readonly string[];
  /** Throws a `UsageError` that lists all missing values. */
  check(): void;
}

interface FillerOptions {
  /** The name of the server. */
  readonly server: string;
  /** Values by key: `--set`, `--env` and `--header`. */
  readonly given: ReadonlyMap<string, string>;
  readonly command: string;
  readonly context: CliContext;
}

export function createFiller({ server, given, command, context }: FillerOptions): InputFiller {
  const secrets: HiddenSecret[] = [];
  const missing: WantedInput[] = [];
  const notes: string[] = [];
  const find = async (input: WantedInput): Promise<string | undefined> => {
    const { key, fallback, isRequired, choices } = input;
    const said = given.get(key) ?? given.get(key.replace(/^-+/, '')) ?? fallback;
    const value = said ?? (isRequired && canAsk(context) ? await ask(input, context) : undefined);
    if (value !== undefined && choices.length > 0 && !choices.includes(value))
      throw new UsageError(`${key} must be one of: ${choices.join(', ')}; got "${value}".`, command);
    return value;
  };
  return {
    secrets,
    notes,
    async fill(input) {
      const { key, isSecret, isRequired, mayUseEnvironment = false } = input;
      // A variable that is set is referenced by its name.
      const isSet =
        mayUseEnvironment &&
        given.get(key) === undefined &&
        /^[A-Z_][A-Z0-9_]*$/.test(key) &&
        (context.env[key] ?? '') !== '';
      if (isSet) {
        notes.push(`It gets the variable ${key} of your environment. Use --set ${key}=… for another value.`);
        return `\${${key}}`;
      }
      const value = await find(input);
      if (value === undefined) {
        if (isRequired) missing.push(input);
        return undefined;
      }
      if (!isSecret || value === '') return value;
      const plain = key
        .replaceAll(/[^A-Za-z0-9]+/g, '_')
        .replaceAll(/^_+|_+$/g, '')
        .toUpperCase();
      const variable = /^[A-Z_][A-Z0-9_]*$/.test(key)
        ? key
        : `${server.replaceAll(/\W+/g, '_').toUpperCase()}_${plain}`;
      const known = secrets.find((one) => one.variable === variable);
      if (known === undefined) secrets.push({ variable, value });
      return `\${${variable}}`;
    },
    check() {
      if (missing.length === 0) return;
      const lines = missing.map(({ key, description, isSecret, choices }) => {
        const about = [
          ...(isSecret ? ['secret'] : []),
          ...(choices.length > 0 ? [choices.join(' | ')] : []),
          description,
        ];
        return `  --set ${key}=…  ${about.filter((word) => word !== '').join(', ')}`.trimEnd();
      });
      throw new UsageError(`The server "${server}" needs these values:\n${lines.join('\n')}`, command);
    },
  };
}

/** Reads an input of a `server.json`. */
export function readInput(value: unknown, key: string): WantedInput {
  const { description, isRequired, isSecret, default: fallback, choices } = isPlainObject(value) ? value : {};
  return {
    key,
    description: typeof description === 'string' ? description : '',
    isRequired: isRequired === true,
    isSecret: isSecret === true || (isSecret === undefined && isSecretName(key)),
    fallback: typeof fallback === 'string' ? escapeText(fallback) : undefined,
    choices: Array.isArray(choices) ? choices.filter((choice): choice is string => typeof choice === 'string') : [],
  };
}

async function ask(input: WantedInput, context: CliContext): Promise<string | undefined> {
  const { password, select, text } = await import('@clack/prompts');
  const { key, description, isSecret, choices } = input;
  // Texts of a server must not draw on the terminal.
  const message = gateText(`${key}${description === '' ? '' : `: ${description}`}`.replaceAll('\n', ' ').slice(0, 300));
  const streams = promptStreams(context);
  const options = choices.map((choice) => ({ value: choice, label: gateText(choice) }));
  const answer =
    choices.length > 0
      ? await select({ message, options, ...streams })
      : await (isSecret ? password({ message, ...streams }) : text({ message, ...streams }));
  return typeof answer === 'string' && answer !== '' ? answer : undefined;
}
