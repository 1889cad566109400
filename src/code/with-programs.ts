type Programs = typeof import('./program/start-program.ts');

/** Runs `work` with the code that runs programs, loaded on first use while the thread starts. */
export async function withPrograms<T>(work: (programs: Programs) => Promise<T>): Promise<T> {
  const { expectProgram } = await import('./sandbox/sandbox.ts');
  const leave = expectProgram();
  try {
    return await work(await import('./program/start-program.ts'));
  } finally {
    leave();
  }
}
