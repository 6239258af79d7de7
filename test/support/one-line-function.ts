import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionFacts } from '../../local/deployed/environment.ts';
import { tempDir } from './files.ts';

/** A function for the runtime client whose handler is a line of CommonJS over `event` and `context`. */
export const oneLineFunction = (label: string, line: string, part: Partial<FunctionFacts> = {}): FunctionFacts => {
  const dir = join(tempDir(), label);
  mkdirSync(dir);
  writeFileSync(join(dir, 'index.cjs'), `exports.handler = async (event, context) => { ${line} };`);
  return {
    name: label,
    label,
    arn: `arn:aws:lambda:us-east-1:000000000000:function:${label}`,
    dir,
    handler: 'index.handler',
    environment: {},
    memoryMegabytes: 128,
    timeoutSeconds: 5,
    logGroup: 'log',
    statements: [],
    isRecursive: false,
    ...part,
  };
};
