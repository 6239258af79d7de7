import type { ImportFile } from '../../kinds/kind.ts';
import { importFiles } from '../../kinds/kinds.ts';

export const kindOf = (name: string): ImportFile => {
  const kind = importFiles.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind ${name}.`);
  return kind;
};
