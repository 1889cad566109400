import { expect, it } from 'vitest';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { defineTool } from '../define/define-tool.ts';
import { wordsMark } from '../tool-marks.ts';

const text = { type: 'string' } as const;
const FLAGS = [
  'health_cmd',
  'entrypoint',
  'env',
  'filename',
  'subresource',
  'resource_version',
  'namespace',
  'save_dev',
];

/** Returns the messages of a command-line tool about unknown names. */
async function tell(args: Record<string, unknown>): Promise<Record<string, string>> {
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: 'run',
      description: 'Run it',
      ...wordsMark(['image', 'command']),
      schema: {
        type: 'object',
        properties: {
          image: text,
          command: { type: 'array', items: text },
          ...Object.fromEntries(FLAGS.map((name) => [name, text])),
          detach: { type: 'boolean' },
          branches: { type: 'boolean' },
          c_by_stream: { type: 'object' },
          package_spec: text,
        },
        additionalProperties: false,
      },
      execute: () => 'done',
    }),
  );
  const { error } = await registry.call('run', args);
  const issues = error?.code === 'invalid_arguments' ? (error.issues ?? []) : [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]));
}

it.each([
  ['cmd', 'command'],
  ['ns', 'namespace'],
  ['image_name', 'image'],
  ['imgae', 'image'],
  ['commands', 'command'],
  ['environment', 'env'],
  ['package', 'package_spec'],
  // Another meaning, or a coincidence.
  ['name', undefined],
  ['save', 'save_dev'],
  ['source', undefined],
  ['branch', undefined],
])('suggests for %s of a command line: %s', async (key, meant) => {
  const message = (await tell({ [key]: 'x' }))[key];
  expect(/Did you mean "(\w+)"/.exec(message ?? 'none')?.[1]).toBe(meant);
});

it('names missing positional arguments of a command, but none for a switch', async () => {
  expect(await tell({ name: 'x', quiet: true })).toEqual({
    name: 'is not a known argument. The positional arguments are: image, command.',
    quiet: 'is not a known argument.',
  });
  expect(await tell({ image: 'x', resource: 'x' })).toEqual({
    resource: 'is not a known argument. Did you mean "resource_version"? The positional argument is: command.',
  });
  expect(await tell({ image: 'x', command: ['x'], name: 'x', detached: true, image_name: 'y' })).toEqual({
    name: 'is not a known argument.',
    detached: 'is not a known argument. Did you mean "detach"?',
    image_name: 'is not a known argument.',
  });
});

it('explains how to send a flag with a target', async () => {
  expect(await tell({ 'c:v': 'copy', '-c:a': 'copy' })).toEqual({
    'c:v': 'is not a known argument. Send "c_by_stream": {"v": …} for that.',
    '-c:a': 'is not a known argument. Send "c_by_stream": {"a": …} for that.',
  });
});
