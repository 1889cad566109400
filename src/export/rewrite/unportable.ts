/**
 * Says that a provider has no way to describe a place of a tool: thrown by `rewriteSchema`, or by the `writeTool` of an
 * exporter. The tool is left out, and the report gives path, rule and message.
 */
export class Unportable extends Error {
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string, message: string) {
    super(message);
    this.name = 'Unportable';
    this.path = path;
    this.rule = rule;
  }
}
