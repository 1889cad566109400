import { fstatSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { BoardMessage, CallerMessage } from '../../mcp/front/command-messages.ts';
import { FRAME, writeFrame, writeMessage } from '../../mcp/front/frames.ts';

type InputFlow = (BoardMessage & { readonly type: 'input' })['flow'];

/** The standard input of this process for a command that a board runs: read only while the command reads it. */
export class CallerInput {
  readonly #socket: Socket;
  #isOpen = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  turn(flow: InputFlow): void {
    if (flow === 'peek') void hasInput().then((isThere) => this.#send({ type: 'peeked', hasInput: isThere }));
    else if (!this.#isOpen) {
      if (flow === 'start') this.#open();
    } else if (flow === 'stop') process.stdin.destroy();
    else if (flow === 'pause') process.stdin.pause();
    else process.stdin.resume();
  }

  #open(): void {
    this.#isOpen = true;
    const { stdin } = process;
    stdin.on('data', (chunk: Buffer) => {
      if (writeFrame(this.#socket, { kind: FRAME.stdin, content: chunk })) return;
      stdin.pause();
      this.#socket.once('drain', () => stdin.resume());
    });
    for (const event of ['end', 'error']) stdin.once(event, () => this.#send({ type: 'inputEnd' }));
  }

  #send(message: CallerMessage): void {
    if (this.#socket.writable) writeMessage(this.#socket, message);
  }
}

/** Returns true when stdin has something to read now. */
async function hasInput(): Promise<boolean> {
  const stats = fstatSync(0);
  if (stats.isFile()) return stats.size > 0;
  const { stdin } = process;
  stdin.read(0);
  // The content of a pipe arrives with the next look at it, which comes between two turns.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  const isThere = stdin.readableLength > 0;
  stdin.destroy();
  return isThere;
}
