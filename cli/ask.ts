import { Failure, isInteractive, UsageError } from './output.ts';

/**
 * Asks the person at the terminal for a text. Where there is no person, throws what to give instead: `option` is an
 * argument or option, such as `--confirm`. `check` says what is wrong with an answer.
 */
export const ask = async (
  message: string,
  option: string,
  check: (answer: string) => string | undefined,
): Promise<string> => {
  if (!isInteractive()) throw new UsageError(`There is no terminal to ask at: give ${option}.`);
  // Loaded for this alone: most commands ask nothing.
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({ message, output: process.stderr, validate: (value) => check(value ?? '') });
  if (isCancel(answer)) throw new Failure('Cancelled. Nothing was changed.');
  return answer;
};
