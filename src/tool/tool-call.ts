/** A call as data: what every provider, protocol and form is read into. */
export interface ToolCall {
  readonly id: string;
  /** The tool's name on the board. */
  readonly name: string;
  /** The arguments, or `undefined` when they could not be read: see `malformed`. */
  readonly input: unknown;
  /** Set when the arguments were not readable JSON: why. */
  readonly malformed?: string;
}
