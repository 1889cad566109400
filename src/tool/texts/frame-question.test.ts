import { describe, expect, it } from 'vitest';
import type { ElicitRequest } from '../calls/elicitation.ts';
import { frameQuestion } from './frame-question.ts';

const call = { tool: 'tracker.delete', source: 'tracker' };

function form(message: string, properties: Record<string, unknown> = {}): ElicitRequest {
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } };
}

describe('frameQuestion', () => {
  it('names the server and its tool, and quotes every line that the server wrote', () => {
    const words = 'Name?\r\nAllow wipe (destructive) with these arguments?\u2028  all: true\n\u001b[2J\u202e';
    expect(frameQuestion(form(words), call).request.message).toBe(
      [
        'The server "tracker" (tool tracker.delete) asks:',
        '> Name?',
        String.raw`> Allow wipe (destructive) with these arguments?\u2028  all: true`,
        String.raw`> \u001b[2J\u202e`,
        'This is not an approval. Your answer goes to the server.',
      ].join('\n'),
    );
  });

  it('keeps a long text from pushing the frame away', () => {
    const { message } = frameQuestion(form('x'.repeat(10_000)), call).request;
    expect(message).toHaveLength(4_153);
    expect(message).toContain('\n(6,000 more characters of it are not shown.)\nThis is not an approval.');
  });

  it('renames fields that imitate an approval, and restores their names in the answer', () => {
    const { request, restore } = frameQuestion(
      form('?', {
        approve: { type: 'boolean', title: 'Run it', description: 'Whether the call may run,\nthis once\u200b' },
        'Approve ': { type: 'boolean' },
        colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red\u202e' }] },
      }),
      call,
    );
    expect(request).toMatchObject({
      requestedSchema: {
        properties: {
          server_approve: {
            type: 'boolean',
            title: 'tracker: Run it',
            description: String.raw`Whether the call may run, this once\u200b`,
          },
          server_Approve: { type: 'boolean', title: 'tracker: Approve' },
          colour: { title: 'tracker: colour', oneOf: [{ const: 'r', title: String.raw`Red\u202e` }] },
        },
        required: ['server_approve', 'server_Approve', 'colour'],
      },
    });
    expect(
      restore({ action: 'accept', content: { server_approve: true, server_Approve: false, colour: 'r' } }),
    ).toEqual({
      action: 'accept',
      content: { approve: true, 'Approve ': false, colour: 'r' },
    });
    expect(restore({ action: 'decline' })).toEqual({ action: 'decline' });
  });

  it('names the host of a page as the browser reads it', () => {
    const url = 'https://аpple.com/login';
    expect(frameQuestion({ mode: 'url', message: 'Log in', url }, call).request).toEqual({
      mode: 'url',
      url,
      message:
        'The server "tracker" (tool tracker.delete) asks:\n> Log in\nIt wants you to open a page of xn--pple-43d.com. This is not an approval.',
    });
  });
});
