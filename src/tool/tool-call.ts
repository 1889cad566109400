/** A call as data: what every provider, protocol and form is read into. */
export interface ToolCall {
  readonly id: string;
  /** The tool's name on the board. */
  readonly name: string;
  /** The arguments, or `undefined` when they could not be read: see `malformed`. */
  readonly input: unknown;
  /** Set when the arguments were not readable JSON: why. */
  readonly malformed?: string;
  /** Present where a program that the provider runs made the call: what the provider says of it. It goes back with the result. */
  readonly caller?: Readonly<Record<string, unknown>>;
}
