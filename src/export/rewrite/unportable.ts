/**
 * Thrown by `rewriteSchema` or an exporter's `writeTool` when a provider cannot describe a place of a tool. The tool is skipped,
 * and the report contains path, rule and message.
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
