import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportTools,
  type PreparedTool,
  type RewrittenSchema,
} from './export-tools.ts';
import type { ToolSource } from './exportable-tool.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import { rewriteSchema } from './rewrite/rewrite-schema.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';
import { Unportable } from './rewrite/unportable.ts';

/** A tool as the Messages API takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  readonly input_examples?: readonly Readonly<Record<string, unknown>>[];
  readonly defer_loading?: true;
}

const NAMES = { character: /[A-Za-z0-9_-]/, maxLength: 64 };
const KEYS = { character: /[A-Za-z0-9_.-]/, maxLength: 64 };

/** Tools in Anthropic's format, the name table and a report of what was rewritten. */
export function toAnthropicTools(tools: ToolSource, options: ExportOptions = {}): ExportResult<AnthropicTool> {
  return exportTools(tools, { provider: 'Anthropic', names: NAMES, rewrite, build }, options);
}

/** Some of Anthropic's APIs take no `$ref`, so definitions are written out unless that makes the schema too big. */
function rewrite(schema: unknown, report: ReportChange): RewrittenSchema {
  const changes: Parameters<ReportChange>[0][] = [];
  try {
    const written = rewriteSchema(schema, { kind: 'open', refs: 'inline', keys: KEYS }, (change) =>
      changes.push(change),
    );
    changes.forEach(report);
    return written;
  } catch (error) {
    if (!(error instanceof Unportable) || error.rule !== 'schema size') throw error;
    return rewriteSchema(schema, { kind: 'open', refs: 'keep', keys: KEYS }, report);
  }
}

function build({ tool, name, description, rewritten, report }: PreparedTool): AnthropicTool {
  const { examples = [], deferLoading } = tool.metadata;
  const known = nodeMap(rewritten.schema['properties']);
  const inputs = examples.map((example) => rewritten.disguise(example.input)).filter(isPlainObject);
  const fitting = inputs.filter((input) => Object.keys(input).every((key) => Object.hasOwn(known, key)));
  if (fitting.length < inputs.length) {
    const count = inputs.length - fitting.length;
    const message = `${count} of ${inputs.length} examples use an argument the schema does not list. Correct them.`;
    report({ path: 'examples', rule: 'input_examples', action: 'dropped', message });
  }
  return {
    name,
    description,
    input_schema: rewritten.schema,
    ...(fitting.length > 0 ? { input_examples: fitting } : {}),
    ...(deferLoading ? { defer_loading: true } : {}),
  };
}
