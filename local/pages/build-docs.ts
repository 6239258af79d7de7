import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { contentPolicy, documentFor, documentScript, referenceFiles, referencePage } from './pages.ts';

/** Writes the reference page as files for a web server or a disk (`npm run docs`). That page makes no calls. */

const baseUrlFrom = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new InvalidArgumentError('It must be an address such as https://api.example.org.');
  return text.replace(/(?:\/v1)?\/*$/, '');
};

const { baseUrl, out } = new Command('npm run docs --')
  .description('Writes the API reference as static files.')
  .option(
    '--base-url <url>',
    'address of the deployed service, shown in every example',
    baseUrlFrom,
    'https://api.example.org',
  )
  .option('--out <path>', 'directory to write to', 'docs-site')
  .allowExcessArguments(false)
  .showHelpAfterError('Run npm run docs -- --help for all options.')
  .parse()
  .opts<{ baseUrl: string; out: string }>();

const pages = join(out, 'pages');
await mkdir(pages, { recursive: true });
await Promise.all(Object.entries(referenceFiles).map(([name, file]) => copyFile(file, join(pages, name))));
const document = await documentFor(baseUrl);
await writeFile(join(out, 'openapi.json'), document);
await writeFile(join(pages, 'openapi.js'), documentScript(document, false));
// A page from a disk has no headers, so the policy is in the page.
const policy = `<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">`;
const page = await readFile(referencePage, 'utf8');
await writeFile(join(out, 'index.html'), page.replace('<meta charset="utf-8">', `$&\n    ${policy}`));
console.log(`${join(out, 'index.html')} and what it loads are written: open it, or put ${out} on any web server.`);
