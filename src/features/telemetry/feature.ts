import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { openTelemetry } from './open-telemetry.ts';

/** Spans of a board's calls: `telemetry` of board files, or the OpenTelemetry that the process has registered. */
export const telemetry = defineFeature({
  name: 'telemetry',
  sections: { telemetry: builtInSection('telemetry', 'keys') },
  // The process may register its own OpenTelemetry at any time.
  isWanted: () => true,
  open: ({ telemetry: settings }, host) => openTelemetry(settings?.value ?? {}, (value) => host.redact(value)),
});
