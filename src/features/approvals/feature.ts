import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** Questions to people about calls. */
export const approvals = defineFeature({
  name: 'approvals',
  builtInCommands: inGroup('Operate', {
    'approvals list': { summary: 'List calls that wait for approval', load: () => import('./commands/approvals.ts') },
    'approvals show': {
      summary: 'Show a waiting call, or how it was answered',
      load: () => import('./commands/approvals.ts'),
    },
    'approvals allow': { summary: 'Approve a waiting call', load: () => import('./commands/approvals-allow.ts') },
    'approvals deny': { summary: 'Deny a waiting call', load: () => import('./commands/approvals.ts') },
  }),
  open: () => ({}),
});
