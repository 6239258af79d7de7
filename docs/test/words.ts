import { globSync, readFileSync } from 'node:fs';
import { codeOf, countsOf } from '../../test/support/houses.ts';

/** Finds old and translated words in what a person reads: documents, and the texts of command, desk and scripts. */

const better: Record<string, string> = {
  albeit: 'although',
  amongst: 'among',
  anew: 'again',
  hence: 'so',
  henceforth: 'from now on',
  hereby: 'by this',
  hitherto: 'so far',
  'in the place of': 'instead of',
  insofar: 'as far as',
  mend: 'fix',
  mended: 'fixed',
  mending: 'fixing',
  mends: 'fixes',
  nevertheless: 'anyway',
  notwithstanding: 'despite',
  shall: 'should, or will',
  thereby: 'so',
  therein: 'in it',
  thereof: 'of it',
  thus: 'so',
  upon: 'on',
  whereby: 'by which',
  wherein: 'in which',
  whilst: 'while',
  whom: 'who, or that',
};
const old = new RegExp(`\\b(?:${Object.keys(better).join('|')})\\b`, 'gi');

/** Comments of code, which only its authors read. An address in a text has `//` too, after a colon. */
const comment = /\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs;

/** Each old word of a text with its place and a better one. */
export const oldWordsIn = (file: string, text: string): string[] => {
  const read = file.endsWith('.md') ? text : text.replaceAll(comment, (all) => all.replaceAll(/[^\n]/g, ' '));
  return read
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(old)].map(([word]) => `${file}:${index + 1}: "${word}": ${better[word.toLowerCase()]}`),
    );
};

const files = [
  ...globSync(['*.md', 'docs/**/*.md', 'apps/inworld/*.{md,lsl}']).sort(),
  ...codeOf('local').filter((file) => file.startsWith('local/pages/')),
  ...codeOf('lib', 'functions', 'infra', 'apps/shared', 'apps/reference', 'apps/cli', 'apps/desk', 'apps/page'),
];

/** How many documents and scripts, and how many files of each house, are read. */
export const readFiles = `${files.filter((file) => !/\.tsx?$/.test(file)).length} documents, ${countsOf(files.filter((file) => /\.tsx?$/.test(file)))}`;

/** The old words of all these files. */
export const oldWords = (): string[] => files.flatMap((file) => oldWordsIn(file, readFileSync(file, 'utf8')));
