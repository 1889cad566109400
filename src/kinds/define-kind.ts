import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { SchemaOutput, ToolSchema } from '../tool/schema-types.ts';
import { type JsonSchemaReader, readJsonSchema } from '../tool/schema/read-json-schema.ts';
import { isStandardSchema, readSchema } from '../tool/schema/read-schema.ts';
import type { EntryFault, Kind, KindMethods, ReadContext, ToolEntry } from './kind.ts';
import { SHARED_KEYS } from './shared-keys.generated.ts';
import { isThenable } from '../tool/is-thenable.ts';
import { describeValue } from '../tool/texts/describe-value.ts';

/** The definition of a kind of tool. */
export interface KindDefinition<
  Schema extends ToolSchema,
  Settings = SchemaOutput<Schema>,
> extends KindMethods<Settings> {
  /** The value of `type` in its entries. */
  readonly type: string;
  /** The keys of an entry in addition to the shared ones: zod 4, another Standard Schema, or JSON Schema. */
  readonly schema: Schema;
  /** @internal True when the schema is JSON Schema that was generated with this package and needs no check. Default: false. */
  readonly isSound?: boolean;
  /** The keys that are paths, resolved against the file's folder: dotted, `*` for each element of a list. */
  readonly paths?: readonly string[];
  /** Shared keys that an entry may omit. Default: none, so that `name` and `description` are required. */
  readonly optional?: readonly ('name' | 'description')[];
  /** Converts the validated keys to settings. Default: the schema's output. */
  readonly read?: (written: SchemaOutput<Schema>, context: ReadContext) => Settings;
  /** Returns faults of an entry with better messages than the schema's. */
  readonly explain?: (written: Readonly<Record<string, unknown>>) => readonly EntryFault[];
  /**
   * @internal The section of a file with settings shared by its entries of this kind. Default: none.
   */
  readonly section?: string;
  /** Recreates the tools when an MCP server changes its offer. Default: false. */
  readonly isLive?: boolean;
  /**
   * True when the tools depend on more than their entry, such as a file's content: they are recreated at every reload. Default:
   * false.
   */
  readonly readsMore?: boolean;
  /**
   * @internal True when creating the tools runs code that the entry names: a board opened only for inspection creates none. Default: false.
   */
  readonly runsCode?: boolean;
  /** True when the tools keep their results short enough for a model themselves. Default: false. */
  readonly boundsOutput?: boolean;
}

/**
 * Defines a kind of tool: the form of its entries in a config file, and what Pegboard does with them.
 * @example
 * ```ts
 * const greet = defineKind({
 *   type: 'greet',
 *   schema: z.object({ greeting: z.string() }),
 *   tools: ({ metadata, settings }) => [
 *     defineTool({ ...metadata, schema: z.object({ name: z.string() }), execute: ({ name }) => `${settings.greeting} ${name}` }),
 *   ],
 *   pathArguments: () => ({ names: [], folders: () => [] }),
 * });
 * const board = await openBoard({ files: 'pegboard.yaml', kinds: [greet] });
 * ```
 */
export function defineKind<const Schema extends ToolSchema, Settings = SchemaOutput<Schema>>(
  definition: KindDefinition<Schema, Settings>,
): Kind {
  const { type, schema, read, optional: _, isSound: __, ...given } = definition;
  if (typeof type !== 'string' || !/^[a-z][a-z0-9_-]{0,39}$/.test(type)) {
    throw misuse(
      `The type of a kind is 1 to 40 of a-z 0-9 _ -, and begins with a letter; got ${JSON.stringify(type)}.`,
    );
  }
  const stranger = Object.keys(definition).find((key) => !Object.hasOwn(PARTS, key));
  if (stranger !== undefined) {
    throw misuse(`The kind "${type}" has a part "${stranger}". Use: ${Object.keys(PARTS).join(', ')}.`);
  }
  // Untyped code may omit them.
  if ((schema as unknown) === undefined) {
    throw misuse(`The kind "${type}" needs a schema: zod, another Standard Schema, or JSON Schema.`);
  }
  if (typeof given.tools !== 'function') {
    throw misuse(`The kind "${type}" needs tools(entry, host), which returns the tools of an entry.`);
  }
  const methods = checkReturns(type, given);
  let reader: JsonSchemaReader | undefined;
  const readEntry = (): JsonSchemaReader =>
    (reader ??= readJsonSchema(toEntrySchema(type, schema, definition), {
      defaults: false,
      isSound: definition.isSound === true,
    }));
  return {
    // A method for entries of this kind only ever gets those.
    ...(methods as KindMethods<unknown>),
    type,
    get entrySchema() {
      return readEntry().jsonSchema();
    },
    validate: (written) => readEntry().validate(written),
    paths: definition.paths ?? [],
    section: definition.section,
    isLive: definition.isLive ?? false,
    readsMore: definition.readsMore ?? false,
    runsCode: definition.runsCode ?? false,
    boundsOutput: definition.boundsOutput ?? false,
    names: (name, settings) =>
      // This kind created the entry's settings.
      methods.names === undefined ? [name] : methods.names(name, settings as Settings | undefined),
    uses: (entry) => methods.uses?.(entry as ToolEntry<Settings>) ?? [],
    explain: (written) => methods.explain?.(written) ?? [],
    read: (written, context) => {
      const value = parse(schema, written, context);
      // Validated by the author's schema just before.
      return value === undefined || read === undefined ? value : read(value as SchemaOutput<Schema>, context);
    },
  };
}

/** Rejects unknown parts: a misspelt one must not disable a check. */
const PARTS: Readonly<Record<keyof KindDefinition<ToolSchema>, true>> = {
  type: true,
  schema: true,
  isSound: true,
  tools: true,
  paths: true,
  pathArguments: true,
  ownFiles: true,
  walks: true,
  inputArgument: true,
  check: true,
  dryRun: true,
  describe: true,
  doctor: true,
  logins: true,
  names: true,
  uses: true,
  secrets: true,
  guessRisk: true,
  guessCtxRisk: true,
  confirmMessage: true,
  optional: true,
  read: true,
  explain: true,
  section: true,
  isLive: true,
  readsMore: true,
  runsCode: true,
  boundsOutput: true,
};

/** Validates the keys with a Standard Schema. JSON Schema was checked with the whole entry. */
function parse(schema: ToolSchema, written: Readonly<Record<string, unknown>>, context: ReadContext): unknown {
  if (!isStandardSchema(schema)) return written;
  const outcome = schema['~standard'].validate(written);
  if (outcome instanceof Promise) throw misuse('The schema of a kind must not be asynchronous.');
  if (outcome.issues === undefined) return outcome.value;
  for (const { path = [], message } of outcome.issues) {
    const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
    context.addError(
      keys.map((key) => (typeof key === 'number' ? key : String(key))),
      message,
    );
  }
  return undefined;
}

/** Combines the shared keys and the kind's own in one closed object. */
function toEntrySchema(
  type: string,
  schema: ToolSchema,
  { optional = [], paths = [], isSound }: Pick<KindDefinition<ToolSchema>, 'optional' | 'paths' | 'isSound'>,
): JsonSchema {
  const own = isSound === true ? (schema as JsonSchema) : readSchema(schema).jsonSchema();
  const { properties, required, additionalProperties: _, $schema: __, ...rest } = own;
  if (own['type'] !== undefined && own['type'] !== 'object') {
    throw misuse(`The schema of the kind "${type}" must be an object; it is ${JSON.stringify(own['type'])}.`);
  }
  const shared = SHARED_KEYS.schema;
  const ownProperties = isPlainObject(properties) ? properties : {};
  const clash = Object.keys(ownProperties).find((key) => key === 'type' || Object.hasOwn(shared, key));
  if (clash !== undefined) {
    throw misuse(`The kind "${type}" has a key "${clash}", which all kinds share. Give it another name.`);
  }
  const stray = paths.find((path) => !Object.hasOwn(ownProperties, path.split('.')[0] ?? ''));
  if (stray !== undefined && isPlainObject(properties)) {
    const known = Object.keys(properties).join(', ');
    throw misuse(
      `The kind "${type}" says that "${stray}" is a path, and its schema has no such key. Use one of: ${known}.`,
    );
  }
  const needed = (['name', 'description'] as const).filter((key) => !optional.includes(key));
  return {
    ...rest,
    type: 'object',
    properties: { ...shared, type: { type: 'string', const: type }, ...ownProperties },
    required: [...needed, 'type', ...(Array.isArray(required) ? required : [])],
    additionalProperties: false,
  };
}

function misuse(message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message });
}

interface ListRule {
  readonly item: string;
  readonly isItem: (value: unknown) => boolean;
}

const isFault = (value: unknown): boolean =>
  isPlainObject(value) && Array.isArray(value['path']) && typeof value['message'] === 'string';
const isText = (value: unknown): boolean => typeof value === 'string';

/** The methods of a kind that return lists, with the form of an item. Plugins may be untyped. */
const LISTS: Readonly<Record<string, ListRule>> = {
  explain: { item: '{ path, message }', isItem: isFault },
  check: { item: '{ path, message }', isItem: isFault },
  names: { item: 'names', isItem: isText },
  uses: {
    item: '{ type, name, path }',
    isItem: (value) => isPlainObject(value) && isText(value['name']) && Array.isArray(value['path']),
  },
  secrets: {
    item: '{ name, value }',
    isItem: (value) => isPlainObject(value) && isText(value['name']) && isText(value['value']),
  },
  dryRun: { item: '{ type, … }', isItem: (value) => isPlainObject(value) && isText(value['type']) },
  describe: {
    item: '[label, text]',
    isItem: (value) => Array.isArray(value) && value.length === 2 && value.every(isText),
  },
};

/** Wraps the methods of a kind so that they throw, with the names of kind and method, if they return a wrong value. */
function checkReturns<Methods extends object>(type: string, methods: Methods): Methods {
  const checked = Object.entries(methods).map(([name, method]: [string, unknown]) => {
    const rule = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
    if (rule === undefined || typeof method !== 'function') return [name, method];
    const check = (given: unknown): unknown => checkList(`${name}() of the kind "${type}"`, rule, given);
    return [
      name,
      (...args: unknown[]): unknown => {
        const given: unknown = Reflect.apply(method, methods, args);
        return isThenable(given) ? Promise.resolve(given).then(check) : check(given);
      },
    ];
  });
  // The same names, with functions of the same types.
  return Object.fromEntries(checked) as Methods;
}

/** `undefined` counts as an empty list. */
function checkList(method: string, { item, isItem }: ListRule, given: unknown): unknown {
  if (given === undefined || given === null) return undefined;
  const odd = Array.isArray(given) ? given.findIndex((value) => !isItem(value)) : undefined;
  if (odd === -1) return given;
  const got =
    odd === undefined ? describeValue(given) : `${describeValue(Reflect.get(Object(given), odd))} at [${odd}]`;
  const message = `${method} must return a list of ${item}; got ${got}.`;
  throw new ToolError({ code: 'invalid_config', message });
}

/**
 * Loads a module on first use, and then uses it synchronously.
 *
 * `import()` takes a while even for a loaded module: too long for each of a thousand entries.
 */
export function loadOnce<M>(load: () => Promise<M>): <T>(use: (module: M) => T) => T | Promise<Awaited<T>> {
  let loaded: M | undefined;
  return (use) => {
    if (loaded !== undefined) return use(loaded);
    // A promise never resolves to another.
    return load().then((module) => use((loaded = module))) as Promise<Awaited<ReturnType<typeof use>>>;
  };
}
