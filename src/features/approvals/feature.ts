import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import { policy } from '../policy/feature.ts';
import { record } from '../record/feature.ts';
import { LateApprovals } from './late-approvals.ts';

/** The questions to people about calls, which wait in the store for an answer from any process. Policies and other guards ask them. */
export const approvals = defineFeature({
  name: 'approvals',
  needs: [record, policy],
  // Code and plugins may ask without a policy.
  isWanted: () => true,
  open(_, host, before?: OpenFeature<LateApprovals>) {
    const board = { host, recordAnswer: host.feature(record).recordAnswer };
    // Waiting calls keep waiting across reloads.
    const api = before?.api ?? new LateApprovals(board);
    api.board = board;
    return { api, approvals: api, retire: (isClosing) => (isClosing ? api.close() : undefined) };
  },
  commands: inGroup('Operate', {
    'approvals list': { summary: 'List calls that wait for approval', load: () => import('./commands/approvals.ts') },
    'approvals show': {
      summary: 'Show a waiting call, or how it was answered',
      load: () => import('./commands/approvals.ts'),
    },
    'approvals allow': { summary: 'Approve a waiting call', load: () => import('./commands/approvals-allow.ts') },
    'approvals deny': { summary: 'Deny a waiting call', load: () => import('./commands/approvals.ts') },
  }),
});
