const INTEGER =
  /^(?:n|m|num|number|numbers?|int|integer|uint|u?int(?:8|16|32|64)|count|lines?|depth|levels?|port|pid|uid|gid|fd|jobs?|width|height|columns?|cols|limit|max|min|retries|days|year)$/i;
const NUMBER = /^(?:float|float32|float64|double|decimal|ratio|fraction|percent|percentage)$/i;

/** The type a value's name suggests; `undefined` for text, which is always right. */
export function guessType(name: string, description: string): 'integer' | 'number' | undefined {
  if (NUMBER.test(name)) return 'number';
  // `+N`, `10K`, `1-5`: looks like a number and is not one.
  if (/\b(?:suffix|units?|range|[+-]N|\dK|percent|list of)\b/i.test(description)) return undefined;
  return INTEGER.test(name) ? 'integer' : undefined;
}
