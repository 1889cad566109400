/** Thrown inside a rewrite when a place cannot be said to the provider at all; the export loop sets the tool aside. */
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
