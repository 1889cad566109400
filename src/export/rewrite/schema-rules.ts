import type { NameRules } from '../name-table.ts';

/** Which JSON Schema a provider takes for the arguments of a tool. */
export type SchemaRules = UnchangedRules | JsonSchemaRules | SubsetRules;

/** Rules of a provider that takes every schema: only the top level is changed. */
export interface UnchangedRules extends CommonRules {
  readonly accepts: 'anything';
  readonly root?: RootShape;
}

/** Rules of a provider that takes JSON Schema 2020-12: older drafts are converted, vendor keywords and wrong values dropped. */
export interface JsonSchemaRules extends CommonRules {
  readonly accepts: 'json-schema';
  readonly root?: RootShape;
  /**
   * Whether shared definitions stay under `$defs` or are written out where they are used (recursive ones stay).
   * `inline-if-small` keeps them only where the schema would become too big. Default: `keep`.
   */
  readonly refs?: 'keep' | 'inline' | 'inline-if-small';
  /** The property keys that the provider takes; others are renamed, and renamed back on a call. Default: all. */
  readonly keys?: NameRules;
}

/** Rules of a provider that takes some keywords and refuses a schema with any other. */
export interface SubsetRules extends CommonRules {
  readonly accepts: 'subset';
  /** The constraint keywords that the provider takes; the description says what the others demand. */
  readonly keywords: readonly string[];
  /** The values of `format` that the provider takes, with their type: `string:date-time`. Default: none. */
  readonly formats?: readonly string[];
  /** Whether the provider takes `anyOf`; where not, the model sends such a value as JSON text. Default: true. */
  readonly unions?: boolean;
  /** Whether the provider takes `$defs` and `$ref`; where not, recursive values are sent as JSON text. Default: `inline`. */
  readonly refs?: 'keep' | 'inline';
  /** How "or null" is written: `type: [string, null]`, or `nullable: true`. Default: `type`. */
  readonly nulls?: 'type' | 'flag';
  /** Whether every property must be required; optional ones then may be null, and null is left out on a call. Default: false. */
  readonly allRequired?: boolean;
  /** Whether the provider takes an object without properties below the top level. Default: true. */
  readonly emptyObjects?: boolean;
  /** Whether `enum` lists texts only; other values are then listed as text and turned back. Default: false. */
  readonly textEnums?: boolean;
  /** The property keys that the provider takes; others are renamed, and renamed back on a call. Default: all. */
  readonly keys?: NameRules;
}

/** What the rules of every provider may say. */
export interface CommonRules {
  /** What the report calls the provider with these rules. Default: the exporter's `provider`. */
  readonly provider?: string;
  /** How big a schema may be; tools with a bigger one are left out. Default: no limits but our own. */
  readonly limits?: SchemaLimits;
}

/** What stands at the top: one plain object, or an object that may have `anyOf` and its like beside it. Default: `object`. */
export type RootShape = 'object' | 'alternatives';

/** How big an exported schema may be. */
export interface SchemaLimits {
  /** Properties of all objects together. */
  readonly properties?: number;
  /** Objects and arrays inside each other. */
  readonly levels?: number;
  /** Values of all `enum` lists together. */
  readonly enumValues?: number;
  /** Characters of all names of properties and definitions and all `enum` values together. */
  readonly characters?: number;
  /** Characters that one `enum` list may have once it has more than so many values. */
  readonly longEnum?: { readonly values: number; readonly characters: number };
  /** What else the author can do, for the report: `export it without { strict: true }`. */
  readonly otherwise?: string;
}
