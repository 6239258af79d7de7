import { InvalidArgumentError } from 'commander';
import * as wire from '../lib/routes/wire.ts';

const name = wire.text({ min: 1, max: 100 });

/** What is wrong with the name of a store or key; undefined if nothing is. */
export const nameFault = (text: string): string | undefined => {
  const fault = name.safeParse(text).error?.issues[0]?.message;
  return fault && `The name ${fault}.`;
};

/** Reads the name of a store or key from the command line. */
export const parseName = (text: string): string => {
  const fault = nameFault(text);
  if (fault) throw new InvalidArgumentError(fault);
  return text.trim();
};
