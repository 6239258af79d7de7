import { globSync, readFileSync } from 'node:fs';

export interface CodeBlock {
  file: string;
  line: number;
  /** What the block says it is, such as `sh` or `json`; empty where it does not say. */
  language: string;
  text: string;
  /** The block after it, where that is what it prints. */
  prints?: string;
}

// Group 1 the indentation, 2 the language, 3 the text. A block may stand in a list, and is then indented.
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
    return block.language === 'sh' && next?.language === 'json' ? { ...block, prints: next.text } : block;
  });
};

/** All fenced code of the documents that people read. */
export const codeBlocks = (): CodeBlock[] =>
  ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md').sort(), 'inworld/README.md'].flatMap(blocksOf);
