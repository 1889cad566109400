import type { NameRules } from '../name-table.ts';

/** The JSON Schema that a provider accepts for a tool's arguments. */
export type SchemaRules = UnchangedRules | JsonSchemaRules | SubsetRules;

/** Rules of a provider that accepts every schema: only the top level changes. */
export interface UnchangedRules extends CommonRules {
  readonly accepts: 'anything';
  readonly root?: RootShape;
}

/** Rules of a provider that accepts JSON Schema 2020-12: older drafts are converted, vendor keywords and invalid values dropped. */
export interface JsonSchemaRules extends CommonRules {
  readonly accepts: 'json-schema';
  readonly root?: RootShape;
  /**
   * Keeps shared definitions under `$defs` or inlines them (recursive ones stay). `inline-if-small` keeps them only if the schema
   * would become too big. Default: `keep`.
   */
  readonly refs?: 'keep' | 'inline' | 'inline-if-small';
  /** The property keys that the provider accepts; others are renamed, and renamed back in calls. Default: all. */
  readonly keys?: NameRules;
}

/** Rules of a provider that accepts some keywords and rejects schemas with any other. */
export interface SubsetRules extends CommonRules {
  readonly accepts: 'subset';
  /** The accepted constraint keywords; the description states the others. */
  readonly keywords: readonly string[];
  /** The accepted values of `format`, with their type: `string:date-time`. Default: none. */
  readonly formats?: readonly string[];
  /** True if the provider accepts `anyOf`; otherwise the model sends such a value as JSON text. Default: true. */
  readonly unions?: boolean;
  /** `keep` if the provider accepts `$defs` and `$ref`; otherwise recursive values are sent as JSON text. Default: `inline`. */
  readonly refs?: 'keep' | 'inline';
  /** The way to write "or null": `type: [string, null]`, or `nullable: true`. Default: `type`. */
  readonly nulls?: 'type' | 'flag';
  /** True if every property must be required; optional ones then may be null, and null is removed from calls. Default: false. */
  readonly allRequired?: boolean;
  /** True if the provider accepts an object without properties below the top level. Default: true. */
  readonly emptyObjects?: boolean;
  /** True if `enum` may list only strings; other values are then listed as text and converted back. Default: false. */
  readonly textEnums?: boolean;
  /** The property keys that the provider accepts; others are renamed, and renamed back in calls. Default: all. */
  readonly keys?: NameRules;
}

/** Rules that every provider may have. */
export interface CommonRules {
  /** The provider's name in the report for these rules. Default: the exporter's `provider`. */
  readonly provider?: string;
  /** Size limits of a schema; tools with a larger one are skipped. Default: only Pegboard's own limits. */
  readonly limits?: SchemaLimits;
}

/** The top level: one plain object, or an object that may also have `anyOf` and the like. Default: `object`. */
export type RootShape = 'object' | 'alternatives';

/** Size limits of an exported schema. */
export interface SchemaLimits {
  /** Properties of all objects together. */
  readonly properties?: number;
  /** Nesting of objects and arrays. */
  readonly levels?: number;
  /** Values of all `enum` lists together. */
  readonly enumValues?: number;
  /** Characters of all property and definition names and all `enum` values together. */
  readonly characters?: number;
  /** Characters of one `enum` list with more than this many values. */
  readonly longEnum?: { readonly values: number; readonly characters: number };
  /** Another fix for the report to suggest: `export it without { strict: true }`. */
  readonly otherwise?: string;
}
