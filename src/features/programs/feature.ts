import { programsUnderWay } from '../../code/programs-under-way.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** Programs that call the tools of a board: those of `program` entries, of code and of `discovery.tools: code`. */
export const programs = defineFeature({
  name: 'programs',
  isWanted: () => true,
  open(_, host) {
    let executor: object | undefined;
    return {
      kindHost: { programs: () => host.board() },
      started: () => void (executor = host.board().registry.executor),
      // Programs end with the board; stored ones can be resumed by another process.
      retire: async (isClosing) => {
        if (isClosing && executor !== undefined) await programsUnderWay(executor).end();
      },
    };
  },
  commands: {
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
});
