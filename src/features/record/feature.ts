import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import { toAuditSettings, toRecordSettings } from './record-settings.ts';
import { BoardRecording } from './board-recording.ts';

/** The record of a board's calls, and its seals: `record` and `audit` of board files. */
export const record = defineFeature({
  name: 'record',
  sections: {
    record: builtInSection('record', 'each'),
    audit: builtInSection('audit', 'each'),
  },
  // Calls are recorded unless a file says otherwise.
  isWanted: () => true,
  open(sections, host, before?: { readonly api?: BoardRecording }) {
    const settings = { record: toRecordSettings(sections.record), audit: toAuditSettings(sections.audit) };
    const api = before?.api ?? new BoardRecording(settings, host);
    // The journal of a process stays open across reloads.
    api.settings = settings;
    return { api, recorder: api.recorder, close: () => api.close() };
  },
  commands: inGroup('Operate', {
    calls: { summary: 'List the calls that the board recorded', load: () => import('./commands/calls.ts') },
    'calls show': {
      summary: 'Show one call and where its time went',
      load: () => import('./commands/calls-show.ts'),
    },
    'calls replay': { summary: 'Make a recorded call again', load: () => import('./commands/calls-replay.ts') },
    'calls forget': { summary: 'Delete the records of one caller', load: () => import('./commands/calls-forget.ts') },
    'audit verify': {
      summary: 'Check that the sealed record is unchanged',
      load: () => import('./commands/audit-verify.ts'),
    },
    'audit export': {
      summary: 'Export the record as JSON lines or CSV',
      load: () => import('./commands/audit-export.ts'),
    },
  }),
});
