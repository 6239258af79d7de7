import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder with what `npm run release` made, to launch these files instead of this checkout's. */
export const releaseFiles = process.env.RELEASE_FILES;

export const launchFile = join(releaseFiles ?? join(import.meta.dirname, '..'), 'launch.yaml');

/** The text below a line that ends with the name and a bar, as YAML takes it. */
const blockAfter = (text: string, line: string): string => {
  const lines = text.split('\n');
  const start = lines.findIndex((one) => one.trim() === line) + 1;
  const indent = lines[start]?.search(/\S/) ?? 0;
  const end = lines.findIndex((one, index) => index > start && one !== '' && one.search(/\S/) < indent);
  return lines
    .slice(start, end < 0 ? undefined : end)
    .map((one) => one.slice(indent))
    .join('\n');
};

const template = readFileSync(launchFile, 'utf8');

/** The code of the function in launch.yaml. */
export const functionCode = blockAfter(template, 'ZipFile: |');

/** The commands of the build in launch.yaml. */
export const buildCommands = blockAfter(blockAfter(template, 'BuildSpec: |'), '- |');
