import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** Programs that call tools of the board. The room `code/` runs them. */
export const programs = defineFeature({
  name: 'programs',
  builtInCommands: {
    ...inGroup('Tools', {
      types: { summary: 'Print the types that programs see', load: () => import('./commands/types.ts') },
      emit: { summary: 'Print a typed module that calls the tools', load: () => import('./commands/types.ts') },
    }),
    ...inGroup('Agents', {
      code: { summary: 'Run a program that calls tools', load: () => import('./commands/code.ts') },
      'code list': { summary: "List the board's programs", load: () => import('./commands/kept-programs.ts') },
      'code show': { summary: 'Show a program with its calls', load: () => import('./commands/kept-programs.ts') },
      'code resume': {
        summary: 'Resume a program that waited or was killed',
        load: () => import('./commands/code.ts'),
      },
      'code save': {
        summary: 'Save a program that worked as a tool of the board',
        load: () => import('./commands/code-save.ts'),
      },
      'code cancel': { summary: 'Cancel a program', load: () => import('./commands/kept-programs.ts') },
    }),
  },
  open: () => ({}),
});
