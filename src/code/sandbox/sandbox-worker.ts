// The thread of a sandbox: runs one program after the other, each in its own engine.
import { parentPort } from 'node:worker_threads';
import { Engine } from './engine.ts';
import type { SandboxOrder, SandboxReport } from './sandbox-messages.ts';

let wasm: object = {};
let engine: Engine | undefined;

parentPort?.on('message', (order: SandboxOrder) => void obey(order));

async function obey(order: SandboxOrder): Promise<void> {
  switch (order.type) {
    case 'engine':
      wasm = order.wasm;
      break;
    case 'start':
      engine = new Engine(order, report);
      report(await engine.start(wasm, order));
      break;
    case 'answer':
      if (engine !== undefined) report(engine.answer(order.answers));
      break;
    case 'snapshot':
      if (engine !== undefined) report({ type: 'snapshot', snapshot: engine.snapshot() });
  }
}

function report(message: SandboxReport): void {
  // Frees the engine's memory.
  if (message.type === 'turn' && message.end !== undefined) engine = undefined;
  parentPort?.postMessage(message);
}
