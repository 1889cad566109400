import { containerPrefix } from '../../../features/policy/container-prefix.ts';
import { policySections } from '../../../features/policy/feature.ts';
import { mergeSections } from '../../../load/features/section.ts';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { findProgram, installHint } from '../../board/programs.ts';
import type { CliContext } from '../../cli-context.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { findNeeds } from '../doctor/check.ts';

/** Warns about programs that are missing on this machine, once each, at the first tool that uses it. Starts nothing. */
export async function checkPrograms(files: readonly LoadedFile[], context: CliContext): Promise<Diagnostic[]> {
  // Without a PATH there is nowhere to look, and a container has its own programs.
  if (context.env['PATH'] === undefined || hasContainer(files, context)) return [];
  const users = new Map<string, { readonly diagnostic: Diagnostic; readonly tools: Set<string> }>();
  for (const file of files) {
    for (const { tool, path, finding } of await findNeeds([file], context)) {
      if (finding.need !== 'command' || findProgram(finding.name, context) !== undefined) continue;
      const known = users.get(finding.name);
      known?.tools.add(tool);
      if (known !== undefined) continue;
      const diagnostic = { severity: 'warning' as const, file: file.file, path, message: '', place: file.locate(path) };
      users.set(finding.name, { diagnostic, tools: new Set([tool]) });
    }
  }
  return [...users].map(([program, { diagnostic, tools }]) => ({ ...diagnostic, message: tell(program, tools.size) }));
}

function tell(program: string, tools: number): string {
  const hint = installHint(program);
  const where = program.includes('/') ? 'does not exist or is not executable' : 'is not in PATH';
  const remedy =
    hint !== undefined
      ? `Install it: ${hint}.`
      : program.includes('/')
        ? 'Check the path.'
        : 'Install it, or check the name.';
  const more = tools > 1 ? ` (of ${counted(tools, 'tool')})` : '';
  return `the program "${program}"${more} ${where} on this machine, so calls fail. ${remedy}`;
}

function hasContainer(files: readonly LoadedFile[], { cwd, env }: CliContext): boolean {
  return containerPrefix(mergeSections(policySections, files, cwd).policy, env).length > 0;
}
