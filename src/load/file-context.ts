import type { JsonSchema } from '../tool/json.ts';
import { isPlainObject } from '../tool/json.ts';
import { MAX_ISSUES } from '../tool/schema/compile/report.ts';
import type { Validation } from '../tool/tool.ts';
import { type JsonSchemaReader, readJsonSchema } from '../tool/schema/read-json-schema.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { type NamedSecret, secretsIn } from '../guard/secrets/secret-names.ts';
import { interpolate, type VariableSources } from './variables/interpolate.ts';
import { explainWeakSecret } from './variables/weak-secret.ts';
import type { OffPart } from './loaded-file.ts';
import { partAt } from './turn-off.ts';
import { rewordIssue } from './diagnostics/reword-issue.ts';
import type { YamlFile } from './yaml/read-yaml.ts';

const MAX_PLACES = 100;

/** A file on its way from YAML to tools: collects what there is to tell its author. */
export class FileContext {
  readonly yaml: YamlFile;
  diagnostics: Diagnostic[] = [];
  readonly secrets = new Set<string>();
  readonly #off = new Map<string, OffPart>();
  /** Secrets that their authors were warned of. */
  readonly #weak = new Set<string>();
  /** What is off, since variables that it needs are not set. */
  get off(): readonly OffPart[] {
    return [...this.#off.values()];
  }

  /** Where texts stand whose variables are not set, as JSON. */
  readonly #unfilled = new Set<string>();

  /** How many faults schemas found. */
  #issues = 0;

  /** Variables that the file needs to work as a whole. */
  readonly needs = new Set<string>();

  constructor(yaml: YamlFile) {
    this.yaml = yaml;
  }

  /** Notes something about the value (or the key) at a path. */
  add(severity: Diagnostic['severity'], path: readonly (string | number)[], message: string): void {
    // Looking a place up takes a walk through the file; beyond these no author reads on.
    const isShown = this.diagnostics.length < MAX_PLACES;
    const place = isShown
      ? this.yaml.locate(path, message.includes('is not a known key') ? 'key' : 'value')
      : undefined;
    this.diagnostics.push({ severity, file: this.yaml.file, path, message, place });
  }

  /** Takes back what another message says better. */
  drop(isMeant: (diagnostic: Diagnostic) => boolean): void {
    this.diagnostics = this.diagnostics.filter((diagnostic) => !isMeant(diagnostic));
  }

  /** Remembers what must not be shown of a variable, and warns where it cannot be told from other words. */
  addSecrets(name: string, value: string, path: readonly (string | number)[] = []): void {
    for (const secret of secretsIn(name, value)) this.#addSecret({ name, value: secret }, path);
  }

  /** Remembers what may be a secret, by its name alone: a flag, a header, a part of an address. */
  addLikelySecrets(name: string, value: string): void {
    for (const secret of secretsIn(name, value)) this.secrets.add(secret);
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

  /** Checks a value against a schema of ours and notes its faults. Gives whether that is all of them. */
  check(value: unknown, schema: JsonSchema, at: Path = []): boolean {
    return this.note(readerOf(schema).validate(value), value, at);
  }

  /** Notes the faults that a schema found in the value at a path. Gives whether that is all of them. */
  note(validation: Validation, value: unknown, at: Path): boolean {
    if (validation.ok) return true;
    for (const { path, message } of validation.issues) {
      const full = [...at, ...path];
      // What stands there without its variable is not what its author will have there.
      if (this.#unfilled.has(JSON.stringify(full))) continue;
      this.#issues += 1;
      if (this.#issues <= MAX_ISSUES) this.add('error', full, rewordIssue(message, path, value));
    }
    return validation.issues.length < MAX_ISSUES && this.#issues < MAX_ISSUES;
  }

  /**
   * A copy of the data with variables put into every text. A part whose variables are not set is off, with a warning; where it is
   * not `mayBeOff`, or concerns the whole board, that is told with the given severity.
   */
  interpolate(
    value: Readonly<Record<string, unknown>>,
    sources: VariableSources,
    { missing, mayBeOff }: { readonly missing: Diagnostic['severity']; readonly mayBeOff: boolean },
  ): Record<string, unknown> {
    const miss = (names: readonly string[], path: Path): void => {
      this.#unfilled.add(JSON.stringify(path));
      const part = mayBeOff ? partAt(path, value) : undefined;
      if (part !== undefined) this.#turnOff(part, names);
      const isOwn = mayBeOff && path[0] === 'variables';
      const effect = part === undefined ? '' : `, so the ${NOUNS[part.type]} "${part.name}" is off`;
      for (const name of names) {
        this.add(part !== undefined || isOwn ? 'warning' : missing, path, explainMissing(name, effect));
      }
    };
    const walk = (part: unknown, path: Path): unknown => {
      if (typeof part === 'string') {
        const filled = interpolate(part, sources);
        for (const secret of filled.secrets) this.#addSecret(secret, path);
        if (missing === 'error') for (const name of filled.needed) this.needs.add(name);
        if (filled.missing.length > 0) miss(filled.missing, path);
        return filled.text;
      }
      if (Array.isArray(part)) return part.map((item, index) => walk(item, [...path, index]));
      if (!isPlainObject(part)) return part;
      return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, walk(item, [...path, key])]));
    };
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [key])]));
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

/** Compiled once for any number of files. */
function readerOf(schema: JsonSchema): JsonSchemaReader {
  let reader = readers.get(schema);
  if (reader === undefined)
    readers.set(schema, (reader = readJsonSchema(schema, { anyRoot: true, defaults: false, isSound: true })));
  return reader;
}

function explainMissing(name: string, effect: string): string {
  if (name.startsWith('file:'))
    return `the file "${name.slice(5)}" cannot be read${effect}. Create it, or write \${${name}:-default}.`;
  return `the variable ${name} is not set${effect}. Set it in the environment or under variables, or write \${${name}:-default}.`;
}
