// The prompts and resources that the conformance suite asks for by name.
import type { PromptSource, ResourceSource } from '../../src/mcp.ts';
import { elicit, PNG } from './conformance-tools.ts';

const user = (text: string) => ({ role: 'user', content: { type: 'text', text } }) as const;

/** The prompts of the suite; `extra` adds one, so that the list changes. */
export function conformancePrompts(extra: () => readonly string[]): PromptSource {
  return {
    list: () => [
      { name: 'test_simple_prompt', description: 'A prompt without arguments' },
      {
        name: 'test_prompt_with_arguments',
        description: 'A prompt with two arguments',
        arguments: [
          { name: 'arg1', description: 'First test argument', required: true },
          { name: 'arg2', description: 'Second test argument', required: true },
        ],
      },
      {
        name: 'test_prompt_with_embedded_resource',
        description: 'A prompt that carries a resource',
        arguments: [{ name: 'resourceUri', description: 'The resource to embed', required: true }],
      },
      { name: 'test_prompt_with_image', description: 'A prompt that carries an image' },
      { name: 'test_input_required_result_prompt', description: 'A prompt that asks first' },
      ...extra().map((name) => ({ name, description: 'One more' })),
    ],
    async get(name, args, { peer }) {
      switch (name) {
        case 'test_simple_prompt':
          return { messages: [user('This is a simple prompt for testing.')] };
        case 'test_prompt_with_arguments':
          return { messages: [user(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`)] };
        case 'test_prompt_with_embedded_resource': {
          const resource = {
            uri: args['resourceUri'] ?? '',
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          };
          const embedded = { role: 'user', content: { type: 'resource', resource } } as const;
          return { messages: [embedded, user('Please process the embedded resource above.')] };
        }
        case 'test_prompt_with_image': {
          const image = { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } } as const;
          return { messages: [image, user('Please analyze the image above.')] };
        }
        case 'test_input_required_result_prompt': {
          const question = elicit('What context should the prompt use?', { context: { type: 'string' } }, ['context']);
          const { user_context: answer } = await peer.ask({ user_context: question });
          return { messages: [user(`Use this context: ${JSON.stringify(answer?.['content'])}`)] };
        }
        default:
          return undefined;
      }
    },
    complete: (name, argument) =>
      name === 'test_prompt_with_arguments' && argument.name === 'arg1'
        ? ['paris', 'park', 'party', 'testing'].filter((word) => word.startsWith(argument.value))
        : undefined,
  };
}

/** The resources of the suite. */
export const conformanceResources: ResourceSource = {
  list: () => [
    { uri: 'test://static-text', name: 'static-text', description: 'Some text', mimeType: 'text/plain' },
    { uri: 'test://static-binary', name: 'static-binary', description: 'Some bytes', mimeType: 'image/png' },
    { uri: 'test://watched-resource', name: 'watched-resource', description: 'May change', mimeType: 'text/plain' },
  ],
  templates: () => [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Data by id',
      mimeType: 'application/json',
    },
  ],
  read(uri) {
    if (uri === 'test://static-text') {
      return [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }];
    }
    if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: PNG }];
    if (uri === 'test://watched-resource') return [{ uri, mimeType: 'text/plain', text: 'Watched resource content' }];
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    if (id === undefined) return undefined;
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return [{ uri, mimeType: 'application/json', text }];
  },
};
