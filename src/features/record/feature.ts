import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { toAuditSettings } from './audit/audit-settings.ts';
import { BoardRecording } from './board-recording.ts';
import { toRecordSettings } from './record-settings.ts';

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
    // The journal of a process stays open over reloads.
    api.settings = settings;
    return { api, recorder: api.recorder, close: () => api.close() };
  },
});
