type Programs = typeof import('./program/start-program.ts');

/** Does work with what runs programs, which the first program loads. Its thread starts meanwhile. */
export async function withPrograms<T>(work: (programs: Programs) => Promise<T>): Promise<T> {
  const { expectProgram } = await import('./sandbox/sandbox.ts');
  const leave = expectProgram();
  try {
    return await work(await import('./program/start-program.ts'));
  } finally {
    leave();
  }
}
