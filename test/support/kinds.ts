import type { Kind } from '../../cli/data/columns.ts';
import { kinds } from '../../cli/data/kinds.ts';

export const kindOf = (name: string): Kind => {
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind ${name}.`);
  return kind;
};
