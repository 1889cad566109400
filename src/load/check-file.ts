import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { MODEL_PROVIDERS } from '../tool/model-provider.ts';
import type { EntryFault, Kind } from '../kinds/kind.ts';
import { toThrownFault } from '../kinds/kind-faults.ts';
import type { Dialect, MixedDialects } from './dialects/detect-dialect.ts';
import type { Sections } from './features/section.ts';
import type { FileContext } from './file-context.ts';
import { CONFIG_KEYS } from './config-keys.generated.ts';
import { BOARD_FRAME, BOARD_SECTIONS, CONFIG_SCHEMAS, CTX_TOOLS } from './schema.generated.ts';

type Data = Readonly<Record<string, unknown>>;

/** The names that files may use, including those of plugins. */
export interface KnownNames {
  /** Kinds of tools by type. */
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Model providers of plugins; `undefined` when plugins are not loaded. */
  readonly providers: readonly string[] | undefined;
  /** Sections of plugins; `undefined` when plugins are not loaded. */
  readonly sections: Sections | undefined;
}

interface FileCheck {
  readonly dialect: Dialect;
  readonly context: FileContext;
  readonly known: KnownNames;
  readonly mixed: MixedDialects | undefined;
}

const SCHEMA_OF = { climax: 'climax', 'climax-policy': 'climaxPolicy', ctx: 'ctx' } as const;

/** The schemas of board files by their sections: a process reads few different ones. */
const boardSchemas = new Map<string, JsonSchema>();

/** Reports structural faults of a file. Returns true when the report is complete. */
export function checkFile(data: Data, { dialect, context, known, mixed }: FileCheck): boolean {
  const executor = dialect === 'climax-policy' && isPlainObject(data['executor']) ? data['executor'] : {};
  if (executor['type'] === 'docker' && typeof executor['image'] !== 'string') {
    context.add('error', ['executor', 'image'], 'the docker executor needs an image to run commands in.');
  }
  let isComplete =
    dialect === 'pegboard'
      ? checkSections(data, { context, known })
      : context.check(data, CONFIG_SCHEMAS[SCHEMA_OF[dialect]]);
  if (dialect === 'pegboard' || dialect === 'ctx')
    isComplete = checkTools(data, { dialect, context, known }) && isComplete;
  if (dialect === 'pegboard') checkProviders(data['agents'], { context, known });
  if (mixed === undefined || !context.hasErrors) return isComplete;
  // One message for all tools: the unknown "id" and the missing "name" follow from it.
  if (dialect === 'pegboard') {
    context.drop(
      ({ path: [first, , key, more] }) => first === 'tools' && (key === 'id' || key === 'name') && more === undefined,
    );
  }
  context.add('error', mixed.path, mixed.message);
  return isComplete;
}

function checkSections(data: Data, { context, known }: Pick<FileCheck, 'context' | 'known'>): boolean {
  const { sections } = known;
  const isKnown = (key: string): boolean => CONFIG_KEYS.board.includes(key);
  const isOfPlugin = (key: string): boolean => sections !== undefined && Object.hasOwn(sections, key);
  // Without the plugins, any other key may be one of theirs.
  const isLeftOut = (key: string): boolean => sections === undefined && !isKnown(key);
  const own = Object.entries(data).filter(([key]) => !isOfPlugin(key) && !isLeftOut(key));
  let isComplete = context.check(Object.fromEntries(own), boardSchema(new Set(own.map(([key]) => key))));
  for (const [key, value] of Object.entries(data)) {
    if (isLeftOut(key)) context.add('warning', [key], 'belongs to no loaded part; a plugin may define it.');
    const schema = isOfPlugin(key) ? sections?.[key]?.schema : undefined;
    if (schema !== undefined) isComplete = context.check(value, schema, [key]) && isComplete;
  }
  return isComplete;
}

/** Returns the schema of a board file with these keys: to compile sections that it lacks takes longer than its check. */
function boardSchema(keys: ReadonlySet<string>): JsonSchema {
  const known = CONFIG_KEYS.board.filter((key) => keys.has(key));
  // A message about an unknown key suggests the nearest of all.
  const names = known.length === keys.size ? known : CONFIG_KEYS.board;
  const id = names.join(' ');
  let schema = boardSchemas.get(id);
  if (schema === undefined) {
    // Both lists are generated from the same schema.
    const properties = Object.fromEntries(
      names.map((key) => [key, BOARD_SECTIONS[key as keyof typeof BOARD_SECTIONS]]),
    );
    boardSchemas.set(id, (schema = { ...BOARD_FRAME.schema, properties }));
  }
  return schema;
}

function checkProviders(agents: unknown, { context, known }: Pick<FileCheck, 'context' | 'known'>): void {
  if (known.providers === undefined) return;
  const provider = { type: 'string', enum: [...MODEL_PROVIDERS, ...known.providers] };
  for (const [name, agent] of Object.entries(isPlainObject(agents) ? agents : {})) {
    if (!isPlainObject(agent) || typeof agent['provider'] !== 'string') continue;
    context.check(agent['provider'], provider, ['agents', name, 'provider']);
  }
}

/** Checks each tool: first with its kind's own messages, then with its schema. */
function checkTools(data: Data, { dialect, context, known: { kinds } }: Omit<FileCheck, 'mixed'>): boolean {
  const tools: unknown[] = Array.isArray(data['tools']) ? data['tools'] : [];
  const off = new Set(context.off.flatMap(({ type, path }) => (type === 'tool' ? [path[1]] : [])));
  const types = dialect === 'ctx' ? Object.keys(CTX_TOOLS) : [...kinds.keys()];
  const anyKind = typesSchema(types);
  let isComplete = true;
  for (const [index, tool] of tools.entries()) {
    if (off.has(index) || !isPlainObject(tool)) continue;
    const at = ['tools', index];
    const kind = types.includes(String(tool['type'])) ? kinds.get(String(tool['type'])) : undefined;
    const faults = kind === undefined ? [] : explain(kind, tool);
    for (const { path, message } of faults) context.add('error', [...at, ...path], message);
    if (faults.length > 0) continue;
    const ctx = dialect === 'ctx' ? Object.entries(CTX_TOOLS).find(([type]) => type === kind?.type)?.[1] : undefined;
    const areAllReported =
      kind === undefined || ctx !== undefined
        ? context.check(tool, ctx ?? anyKind, at)
        : context.addIssues(kind.validate(tool), tool, at);
    isComplete = areAllReported && isComplete;
  }
  return isComplete;
}

/** Returns the kind's own messages. An error it throws is a fault of the entry. */
function explain(kind: Kind, tool: Data): readonly EntryFault[] {
  try {
    return kind.explain(tool);
  } catch (error) {
    return [toThrownFault(error)];
  }
}

function typesSchema(types: readonly string[]): JsonSchema {
  return {
    oneOf: types.map((type) => ({
      type: 'object',
      properties: { type: { type: 'string', const: type } },
      required: ['type'],
    })),
  };
}
