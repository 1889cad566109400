import { expect, it } from 'vitest';
import { emptyPage } from '../command-page.ts';
import { parseOption } from '../help/parse-option.ts';
import { needsScreen } from './guess-running.ts';

it.for([
  ['kubectl edit', 'Edit a resource on the server', 'Edit a resource from the default editor.', true],
  ['docker attach', 'Attach local standard input, output, and error streams to a running container', '', true],
  ['git gui', 'A portable graphical interface to Git', '', true],
  ['git difftool', 'Show changes using common diff tools', '', true],
  ['gh issue edit', 'Edit an issue', 'Add labels, or change the title.', false],
  ['docker volume attach', 'Attach a volume to a node', '', false],
  ['git commit', 'Record changes to the repository', 'The log message comes from your editor.', false],
  ['vi', 'a text editor', '', false],
] as const)('%s (%s) needs a person: %#', ([command, about, details, expected]) => {
  expect(needsScreen({ ...emptyPage(command.split(' ')), details }, about)).toBe(expected);
});

it('concludes from an editor option that the command opens an editor', () => {
  const options = [parseOption('--editor <editor>', 'The command to run')].flatMap((option) => option ?? []);
  expect(needsScreen({ ...emptyPage(['npm', 'config', 'edit']), options }, 'edit: Manage files')).toBe(true);
});
