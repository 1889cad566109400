/**
 * Thrown by a model that is used in a way it must not be, such as a scripted model that is asked once too often.
 *
 * A run rejects with it rather than calling it a failure of the provider: code has to change.
 */
export class ModelMisuseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelMisuseError';
  }
}
