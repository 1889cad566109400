import { isDeepStrictEqual } from 'node:util';
import { isBroken } from '../../kinds/broken.ts';
import type { DescribedLine, ToolEntry } from '../../kinds/kind.ts';
import { workingFolder } from '../../load/data-folder.ts';
import { DEFAULT_TIMEOUT } from '../../pipeline/executor-options.ts';
import { riskFields, showArgumentRisks, showRisk, sourceOf } from '../../tool/tool-metadata.ts';
import { describeParameter } from '../../tool/parameters/describe-parameters.ts';
import { allParameters, readVariants, type Variant } from '../../tool/parameters/read-variants.ts';
import { createReferenceFinder } from '../../tool/parameters/schema-node.ts';
import type { Tool } from '../../tool/tool.ts';
import { alignColumns, toCell, wrapText } from '../shared/print/columns.ts';
import { defineCommand, WAIT_OPTION } from '../shared/command.ts';
import { findEntry } from '../shared/board/find-entry.ts';
import { awaitTool } from '../shared/board/find-tools.ts';
import { paintRisk } from '../shared/print/list-tools.ts';
import type { TextStyle } from '../shared/print/style.ts';
import { readingBoard, redactorOf } from '../shared/board/use-board.ts';

export const show = defineCommand({
  name: 'show',
  description: 'Shows a tool: its description, parameters, risk, source and what it runs. Secrets are hidden.',
  arguments: [{ name: 'NAME', description: 'The name of the tool', required: true, completes: 'tools' }],
  options: WAIT_OPTION,
  examples: [['pegboard show git_log', 'before you call it']],
  board: (input) => ({ ...readingBoard(input), meet: undefined, about: input.positionals[0] ?? '' }),
  async run({ values, positionals: [name = ''], context, board }) {
    const seen = context.stderr.isTTY === true ? 'ask' : 'wait';
    const tool = await awaitTool(board, name, { context, wish: values.wait ? 'retry' : seen });
    const found = findEntry(board.files, name);
    const { metadata, inputSchema } = tool;
    const lines = found && (await describeEntry(found.entry, workingFolder(board.files, context)));
    const facts = {
      ...metadata,
      source: sourceOf(metadata),
      ...riskFields(metadata),
      kind: found?.entry.kind.type ?? metadata.kind ?? (metadata.source === undefined ? 'code' : 'script'),
      place: found?.place,
      runs: lines?.map(([label, text]) => ({ label, text })),
      inputSchema,
    };
    // Redacted as a whole, so that nothing is missed.
    const clean = redactorOf(board).data(facts);
    return { data: clean, view: (style, width) => formatTool(clean, style, width) };
  },
});

/** Describes what the tools of an entry run, as reported by its kind. */
async function describeEntry(entry: ToolEntry, cwd: string): Promise<readonly DescribedLine[]> {
  const { kind } = entry;
  if (kind.describe !== undefined) return kind.describe(entry, { cwd });
  return isBroken(entry) ? [] : [['runs', `unknown: the kind "${kind.type}" does not describe it`]];
}

type Facts = Omit<Tool['metadata'], 'source' | 'risk'> &
  ReturnType<typeof riskFields> & {
    readonly source: string;
    readonly kind: string;
    readonly place: string | undefined;
    readonly runs: readonly { readonly label: string; readonly text: string }[] | undefined;
    readonly inputSchema: Tool['inputSchema'];
  };

function formatTool(facts: Facts, style: TextStyle, width: number): string {
  const { source, place } = facts;
  const rows: (readonly [string, string | undefined])[] = [
    ['source', place === undefined ? source : `${source} (${place})`],
    ['kind', facts.kind],
    ['risk', paintRisk(facts.riskStated ? showRisk(facts) : showRisk({}), style)],
    ['', showArgumentRisks(facts) || undefined],
    ['category', facts.category],
    ['tags', facts.tags?.join(', ')],
    ['timeout', facts.timeout === undefined ? `${DEFAULT_TIMEOUT / 1000} s (default)` : `${facts.timeout / 1000} s`],
    // A kind that retries by itself includes that in its description.
    ['retries', facts.retries === 0 ? undefined : facts.retries?.toString()],
    ['notes', facts.usageNotes],
    ...(facts.limitations ?? []).map((limitation) => ['limitation', limitation] as const),
    ['deprecated', facts.deprecated === true ? (facts.replacedBy ?? 'yes') : undefined],
    ...(facts.runs ?? []).map(({ label, text }) => [label, text] as const),
  ];
  const known = rows.filter(([, value]) => value !== undefined && value !== '');
  return [
    style.bold(facts.name),
    ...wrapText(facts.description, width),
    '',
    ...alignColumns(
      known.map(([label, value = '']) => [style.dim(label), value]),
      width,
      'wrap',
    ),
    '',
    ...parameterLines(facts.inputSchema, style, width),
    ...(facts.examples ?? []).flatMap(({ description, input }) => [
      '',
      `${style.bold('Example')} ${description}`,
      indent(`pegboard call ${facts.name} --args '${JSON.stringify(input).replaceAll("'", String.raw`'\''`)}'`),
    ]),
  ].join('\n');
}

/** Lists the parameters as in prompts; a union has a block for each variant. */
function parameterLines(schema: Tool['inputSchema'], style: TextStyle, width: number): string[] {
  const find = createReferenceFinder(schema);
  const sets = readVariants(schema, find);
  const isShared = haveSameParameters(sets);
  const [firstSet] = sets;
  // Sets that differ only in their required parameters become one list.
  const variants = isShared && firstSet !== undefined ? [{ ...firstSet, parameters: allParameters(sets) }] : sets;
  const blocks = variants.map(({ parameters, isOpen }) => {
    const rows = parameters.map((parameter) => {
      const { description } = parameter.schema;
      return [
        style.cyan(parameter.name),
        describeParameter(parameter, find),
        typeof description === 'string' ? toCell(description) : '',
      ];
    });
    if (rows.length > 0) return alignColumns(rows, width - 2, 'wrap').map(indent);
    return [indent(isOpen ? 'any keys' : 'nothing')];
  });
  const [only = [], ...others] = blocks;
  if (others.length > 0) {
    return blocks.flatMap((lines, index) => [
      style.bold(index === 0 ? `Parameters, one of ${blocks.length} sets` : 'or'),
      ...lines,
    ]);
  }
  const takesNothing = variants.every(({ parameters, isOpen }) => parameters.length === 0 && !isOpen);
  if (takesNothing) return ['It takes no parameters.'];
  return [style.bold('Parameters'), ...only, ...(isShared ? [indent(`Required: ${describeNeeds(sets)}`)] : [])];
}

/** Returns true when several sets have the same parameters, of the same types. */
function haveSameParameters(sets: readonly Variant[]): boolean {
  const [first, ...others] = sets.map(({ parameters }) =>
    Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  );
  return others.length > 0 && others.every((other) => isDeepStrictEqual(first, other));
}

/** Lists the required parameters: `image, and filename or kustomize or type`. */
function describeNeeds(sets: readonly Variant[]): string {
  const needed = sets.map(({ parameters }) =>
    parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  );
  const [first = []] = needed;
  const always = first.filter((name) => needed.every((names) => names.includes(name)));
  const ways = needed.map((names) => names.filter((name) => !always.includes(name)).join(' with '));
  const choice = [...new Set(ways)].map((way) => way || 'nothing more').join(', or ');
  return always.length === 0 ? choice : `${always.join(', ')}; and ${choice}`;
}

function indent(line: string): string {
  return `  ${line}`;
}
