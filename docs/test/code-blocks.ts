import { globSync, readFileSync } from 'node:fs';

export interface CodeBlock {
  file: string;
  line: number;
  /** The declared language, such as `sh`, `bash` or `json`; empty without one. */
  language: string;
  text: string;
  /** The next block, if it shows the output of this one. */
  prints?: string;
}

/** Blocks that calls.proof.ts runs. */
export const callsApi = /\bcurl\b|\bnpx store api\b/;

// Group 1 is the indentation of a block in a list, 2 the language, 3 the text.
const fence = /^( *)```(\w*)[^\n]*\n(.*?)^ *```$/gms;

const blocksOf = (file: string): CodeBlock[] => {
  const document = readFileSync(file, 'utf8');
  const blocks = [...document.matchAll(fence)].map(([, indent = '', language = '', text = ''], index, all) => ({
    file,
    line: document.slice(0, all[index]?.index).split('\n').length,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    return /^(sh|bash)$/.test(block.language) && next?.language === 'json' ? { ...block, prints: next.text } : block;
  });
};

export const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md').sort(), 'apps/inworld/README.md'];

/** All fenced code blocks of the documents. */
export const codeBlocks = (): CodeBlock[] => documents.flatMap(blocksOf);

/** The lines of a block of shell commands, without comment lines. A line that ends in a backslash continues. */
export const commandsIn = (text: string): string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((command) => /^[^#]/.test(command));

/** The words of a line as a shell would split it, without comment and redirection. */
export const wordsOf = (command: string): string[] =>
  [
    ...command
      .replace(/(^|\s)#.*/, '')
      .replace(/\s>\s*\S+\s*$/, '')
      .matchAll(/"([^"]*)"|'([^']*)'|[^\s"']+/g),
  ].map(([word, double, single]) => double ?? single ?? word);
