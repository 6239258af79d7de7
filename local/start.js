// Runs on every version of Node.js, and says what is missing before it loads anything else.
import { existsSync } from 'node:fs';

const fail = (text) => {
  console.error(`error: ${text}`);
  process.exitCode = 1;
};

const [major] = process.versions.node.split('.').map(Number);
if (!existsSync(new URL('../node_modules/commander', import.meta.url)))
  fail('The packages are missing. Run npm ci first, then npm start.');
else if (major < 24)
  fail(
    `npm start needs Node.js 24 or later, and this is ${process.versions.node}. Run npm ci again: it installs Node.js 24 for this folder. Or install Node.js 24 yourself.`,
  );
else await import('./main.ts');
