import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { MAX_ISSUES } from '../tool/schema/compile/check.ts';
import type { Validation } from '../tool/tool.ts';
import { type JsonSchemaReader, readJsonSchema } from '../tool/schema/read-json-schema.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { isSecretName, type NamedSecret, namedSecretsIn, secretsIn } from '../guard/secrets/secret-names.ts';
import { interpolate, type VariableLookup, variablesIn } from './variables/interpolate.ts';
import type { OffPart } from './loaded-file.ts';
import { partAt, toolsThatUse } from './turn-off.ts';
import { rewordIssue } from './diagnostics/reword-issue.ts';
import type { YamlFile } from './yaml/read-yaml.ts';
import { howToFind, LEAST_SECRET, SHORT_SECRET } from '../guard/secrets/secret-forms.ts';

const MAX_PLACES = 100;

/** The state of reading a file: its diagnostics, its secrets, and its disabled parts. */
export class FileContext {
  readonly yaml: YamlFile;
  diagnostics: Diagnostic[] = [];
  readonly secrets = new Set<string>();
  readonly #off = new Map<string, OffPart>();
  /** Secrets that already caused a warning. */
  readonly #weak = new Set<string>();
  /** The parts that are disabled because variables they need are not set. */
  get off(): readonly OffPart[] {
    return [...this.#off.values()];
  }

  /** The paths, as JSON, of texts whose variables are not set. */
  readonly #unfilled = new Set<string>();

  /** The paths of texts with an unresolved secret. */
  readonly unresolved: Path[] = [];

  /** The absolute paths of files that texts and secrets are read from. */
  readonly readFrom = new Set<string>();

  /** Number of faults that schemas found. */
  #issues = 0;

  /** Variables that the file as a whole needs. */
  readonly needs = new Set<string>();

  constructor(yaml: YamlFile) {
    this.yaml = yaml;
  }

  /** Adds a diagnostic about the value (or the key) at a path. */
  add(severity: Diagnostic['severity'], path: readonly (string | number)[], message: string): void {
    // Finding a place walks the file, and no author reads more messages than this.
    const isShown = this.diagnostics.length < MAX_PLACES;
    const place = isShown
      ? this.yaml.locate(path, message.includes('is not a known key') ? 'key' : 'value')
      : undefined;
    this.diagnostics.push({ severity, file: this.yaml.file, path, message, place });
  }

  /** Removes diagnostics that another message replaces. */
  drop(isMeant: (diagnostic: Diagnostic) => boolean): void {
    this.diagnostics = this.diagnostics.filter((diagnostic) => !isMeant(diagnostic));
  }

  /** Stores the secrets of a variable and warns about one that is too short or too common to redact. */
  addSecrets(name: string, value: string, path: readonly (string | number)[] = []): void {
    for (const secret of namedSecretsIn(name, value)) this.#addSecret(secret, path);
  }

  /** Stores probable secrets by their name, without a warning: a flag, a header, a part of a URL. */
  addLikelySecrets(name: string, value: string): void {
    for (const secret of secretsIn(name, value)) this.secrets.add(secret);
  }

  /** Stores the placeholder of an unresolved secret, without a warning: its length says nothing about the secret. */
  addPlaceholder(text: string): void {
    this.addLikelySecrets('secret', text);
    for (const secret of secretsIn('secret', text)) this.#weak.add(secret);
  }

  #addSecret(secret: NamedSecret, path: readonly (string | number)[]): void {
    this.secrets.add(secret.value);
    const warning = this.#weak.has(secret.value) ? undefined : explainWeakSecret(secret);
    if (warning === undefined) return;
    this.#weak.add(secret.value);
    this.add(warning.severity, path, warning.message);
  }

  get hasErrors(): boolean {
    return this.diagnostics.some(({ severity }) => severity === 'error');
  }

  /** Checks a value against a built-in schema and reports its faults. Returns true when the report is complete. */
  check(value: unknown, schema: JsonSchema, at: Path = []): boolean {
    return this.addIssues(readerOf(schema).validate(value), value, at);
  }

  /** Reports the faults that a schema found in the value at a path. Returns true when the report is complete. */
  addIssues(validation: Validation, value: unknown, at: Path): boolean {
    if (validation.ok) return true;
    for (const { path, message } of validation.issues) {
      const full = [...at, ...path];
      // Without its variable, the text is not the one that its author intended.
      if (this.#unfilled.has(JSON.stringify(full))) continue;
      this.#issues += 1;
      if (this.#issues <= MAX_ISSUES) this.add('error', full, rewordIssue(message, path, value));
    }
    return validation.issues.length < MAX_ISSUES && this.#issues < MAX_ISSUES;
  }

  /**
   * Returns a copy of the data with the variables in all texts filled in. With `mayBeOff`, a part whose variables are not set is disabled
   * with a warning. Elsewhere an unset variable is reported with the severity `missing`.
   */
  interpolate(
    value: Readonly<Record<string, unknown>>,
    lookup: VariableLookup,
    { missing, mayBeOff }: { readonly missing: Diagnostic['severity']; readonly mayBeOff: boolean },
  ): Record<string, unknown> {
    const reportMissing = (names: readonly string[], path: Path): void => {
      this.#unfilled.add(JSON.stringify(path));
      const part = mayBeOff ? partAt(path, value) : undefined;
      const tools = mayBeOff ? toolsThatUse(path, value) : [];
      for (const off of part === undefined ? tools : [part]) this.#turnOff(off, names);
      const isOwn = mayBeOff && path[0] === 'variables';
      const isPart = part !== undefined || (mayBeOff && path[0] === 'http');
      const effect = part === undefined ? describeOff(tools) : `, so the ${NOUNS[part.type]} "${part.name}" is off`;
      for (const name of names) {
        this.add(isPart || isOwn ? 'warning' : missing, path, explainMissing(name, effect, lookup.failures?.get(name)));
      }
    };
    // One shared list: a file has thousands of values, and hardly any contains a variable.
    const path: (string | number)[] = [];
    const walkAt = (part: unknown, key: string | number): unknown => {
      path.push(key);
      const walked = walk(part);
      path.pop();
      return walked;
    };
    const walk = (part: unknown): unknown => {
      if (typeof part === 'string') return part.includes('${') ? fill(part, [...path]) : part;
      if (Array.isArray(part)) return part.map(walkAt);
      return isPlainObject(part) ? walkObject(part) : part;
    };
    const walkObject = (part: Readonly<Record<string, unknown>>): Record<string, unknown> =>
      Object.fromEntries(Object.entries(part).map(([key, item]) => [key, walkAt(item, key)]));
    const fill = (text: string, place: Path): string => {
      const filled = interpolate(text, lookup);
      for (const secret of filled.secrets) this.#addSecret(secret, place);
      if (missing === 'error') for (const name of filled.needed) this.needs.add(name);
      if (filled.missing.length > 0) reportMissing(filled.missing, place);
      if (variablesIn(text).some(({ name }) => lookup.unresolved?.has(name) === true)) {
        this.#unfilled.add(JSON.stringify(place));
        this.unresolved.push(place);
      }
      return filled.text;
    };
    return walkObject(value);
  }

  #turnOff(part: Omit<OffPart, 'variables'>, names: readonly string[]): void {
    const key = part.path.join('\n');
    this.#off.set(key, { ...part, variables: [...new Set([...(this.#off.get(key)?.variables ?? []), ...names])] });
  }
}

type Path = readonly (string | number)[];

const NOUNS: Readonly<Record<OffPart['type'], string>> = {
  tool: 'tool',
  server: 'server',
  agent: 'agent',
  collection: 'collection',
  store: 'store',
  knowledge: 'knowledge setting',
};

const readers = new WeakMap<JsonSchema, JsonSchemaReader>();

/** Compiles a schema once for all files. */
function readerOf(schema: JsonSchema): JsonSchemaReader {
  let reader = readers.get(schema);
  if (reader === undefined)
    readers.set(schema, (reader = readJsonSchema(schema, { anyRoot: true, defaults: false, isSound: true })));
  return reader;
}

function describeOff([first, ...others]: readonly Pick<OffPart, 'name'>[]): string {
  if (first === undefined) return '';
  return others.length === 0 ? `, so the tool "${first.name}" is off` : `, so ${others.length + 1} tools are off`;
}

function explainMissing(name: string, effect: string, failure: string | undefined): string {
  if (failure !== undefined) return `the secret ${name} cannot be read${effect}: ${failure}.`;
  if (name.startsWith('file:'))
    return `the file "${name.slice(5)}" cannot be read${effect}. Create it, or write \${${name}:-default}.`;
  return `the variable ${name} is not set${effect}. Set it in the environment or under variables, or write \${${name}:-default}.`;
}

/** Explains why a secret is too short or too common to redact; `undefined` for others. Never contains its value. */
export function explainWeakSecret(secret: NamedSecret): Pick<Diagnostic, 'severity' | 'message'> | undefined {
  const { name, value, isPart = false } = secret;
  const how = howToFind(value);
  if (how === 'anywhere') return undefined;
  // Of a URL only the password is a secret, and of a file all of it, under any variable name.
  const isNamed = isSecretName(name) && !isPart;
  const unnamed = isPart ? `the password in the address ${name}` : `the secret in ${name}`;
  const what = isNamed ? `${name} is a secret by its name, and its value` : unnamed;
  const other = isNamed ? ', or another name for the variable if it is no secret' : '';
  const fix = `Use a ${isPart ? 'password' : 'value'} of ${SHORT_SECRET} characters or more${other}.`;
  if (how === 'as a word') {
    const message = `${what} has fewer than ${SHORT_SECRET} characters: it is redacted from results only as a whole word, and that word is redacted even where it means something else. ${fix}`;
    return { severity: 'warning', message };
  }
  const reason = value.trim().length < LEAST_SECRET ? `has fewer than ${LEAST_SECRET} characters` : 'is a common word';
  const message = `${what} ${reason}: it is not redacted from results. ${fix}`;
  // A switch or a number has such a name by chance: MAX_TOKENS, AUTH_ENABLED.
  return { severity: /^(?:true|false|yes|no|on|off|-?[\d.]+)$/i.test(value.trim()) ? 'note' : 'warning', message };
}
