import type { JsonSchema } from '../tool/json.ts';
import type { ClosedRules } from './rewrite/closed-context.ts';
import { type ExportOptions, type ExportResult, exportTools, type PreparedTool } from './export-tools.ts';
import type { ToolSource } from './exportable-tool.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import { rewriteSchema } from './rewrite/rewrite-schema.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';

/** A function declaration as the Gemini API takes it. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Left out for a tool without arguments. */
  readonly parameters?: JsonSchema;
}

const SIZES = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
const FORMATS = ['string:date-time', 'number:float', 'number:double', 'integer:int32', 'integer:int64'];

const RULES: ClosedRules = {
  provider: 'Gemini',
  refs: 'inline',
  nulls: 'flag',
  allRequired: false,
  emptyObjects: false,
  textEnums: true,
  keywords: new Set([...SIZES, 'pattern', 'minimum', 'maximum']),
  formats: new Set(FORMATS),
  keys: { character: /[A-Za-z0-9_]/, first: /[A-Za-z_]/, maxLength: 64 },
};

/** Tools as Gemini function declarations (`tools: [{ functionDeclarations }]`), the name table and a report. */
export function toGeminiTools(tools: ToolSource, options: ExportOptions = {}): ExportResult<GeminiFunctionDeclaration> {
  return exportTools(
    tools,
    {
      provider: 'Gemini',
      names: { character: /[A-Za-z0-9_.-]/, first: /[A-Za-z_]/, maxLength: 64 },
      rewrite: (schema: unknown, report: ReportChange) => rewriteSchema(schema, { kind: 'closed', ...RULES }, report),
      build: ({ name, description, rewritten }: PreparedTool): GeminiFunctionDeclaration => {
        const { schema } = rewritten;
        return {
          name,
          description,
          ...(Object.keys(nodeMap(schema['properties'])).length > 0 ? { parameters: schema } : {}),
        };
      },
    },
    options,
  );
}
