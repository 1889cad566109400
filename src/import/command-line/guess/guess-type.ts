const INTEGER =
  /^(?:n|m|num|number|numbers?|int|integer|uint|u?int(?:8|16|32|64)|count|lines?|depth|levels?|port|pid|uid|gid|fd|jobs?|width|height|columns?|cols|limit|max|min|retries|days|year)$/i;
/** Of these, names that users' scripts also use for text: a log level, column names. */
const UNSURE = /^(?:m|number|numbers?|lines?|levels?|jobs?|columns?|cols|max|min|fd)$/i;
const NUMBER = /^(?:float|float32|float64|double|decimal|ratio|fraction|percent|percentage)$/i;
/** Names of values that may have a fraction, even if their default has none. */
const MAY_HAVE_FRACTION =
  /(?:seconds?|secs?|minutes?|hours?|timeout|delay|interval|wait|grace|ratio|rate|factor|weight|threshold|temperature|scale|speed|price|amount|tolerance|probability|percent|alpha|beta|gamma)/i;
/** Names of values that are not numbers, even if they look like one. */
const TEXT = /(?:version|release|tag|id|code|name|date|colou?r|key|mode|zip|phone)s?$/i;

/** A value to guess the type of. */
interface NamedValue {
  /** The page's name for the value, and its flag without dashes. */
  readonly names: readonly string[];
  readonly description: string;
  /** Several values share the name, such as `COLUMNS`. */
  readonly isSeveral: boolean;
  /** The page comes from a library that prints the argument's name as the value's name. */
  readonly isScript: boolean;
}

/** Guesses the type from a value's name, default or text; `undefined` for text, which always works. */
export function guessType({ names, description, isSeveral, isScript }: NamedValue): 'integer' | 'number' | undefined {
  const [name = ''] = names;
  if (NUMBER.test(name)) return 'number';
  // `+N`, `10K`, `1-5`: similar to numbers.
  if (/\b(?:suffix|units?|range|[+-]N|\dK|percent|list of)\b/i.test(description)) return undefined;
  // `--ratio=NUMBER`
  if (/^number$/i.test(name) && names.slice(1).some((other) => MAY_HAVE_FRACTION.test(other))) return 'number';
  if (INTEGER.test(name) && !((isScript || (isSeveral && /s$/i.test(name))) && UNSURE.test(name))) return 'integer';
  return isScript && !isSeveral ? guessFromText(names, description) : undefined;
}

/** `(default: 2.5)`, `how many`, `seconds to wait`. */
function guessFromText(names: readonly string[], description: string): 'integer' | 'number' | undefined {
  if (names.some((name) => TEXT.test(name))) return undefined;
  const [, whole, fraction] = /[[(]default:? (-?\d+)(\.\d+)?[\]);,]/i.exec(description) ?? [];
  const mayHaveFraction = names.some((name) => MAY_HAVE_FRACTION.test(name)) || /\bseconds\b/i.test(description);
  if (whole !== undefined) return fraction !== undefined || mayHaveFraction ? 'number' : 'integer';
  // `how many, or "all"`
  if (/\bor\b|["'`]/.test(description)) return undefined;
  if (/^seconds\b|\bin seconds\b/i.test(description)) return 'number';
  return /^(?:how many|number of)\b/i.test(description) ? 'integer' : undefined;
}
