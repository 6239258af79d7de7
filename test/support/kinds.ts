import type { Kind } from '../../cli/kinds/columns.ts';
import { kinds } from '../../cli/kinds/kinds.ts';

export const kindOf = (name: string): Kind => {
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind ${name}.`);
  return kind;
};
