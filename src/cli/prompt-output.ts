import type { CliOutput } from './cli-context.ts';

const WIDTH = 80;

/** Where a question is drawn. A terminal that says it has no columns, as some recorders do, is taken for a common one. */
export function promptOutput(output: CliOutput): CliOutput {
  if (output.columns !== 0) return output;
  return new Proxy(output, {
    get(target, key) {
      if (key === 'columns') return WIDTH;
      const value: unknown = Reflect.get(target, key);
      // Methods of streams work on the stream itself.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
