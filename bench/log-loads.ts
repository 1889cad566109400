// Loaded with --import: prints the address of every module that the program loads, a line each, when it ends.
import { registerHooks } from 'node:module';

const loaded = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url);
    return nextLoad(url, context);
  },
});

process.once('exit', () => console.log([...loaded].join('\n')));
