/**
 * Thrown by a model that is used incorrectly, such as a scripted model that is called too often.
 *
 * A run rejects with it instead of reporting a provider failure, because code has to change.
 */
export class ModelMisuseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelMisuseError';
  }
}
