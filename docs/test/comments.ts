import { readFileSync } from 'node:fs';
import { coded, codeOf, countsOf, tested, testsOf } from '../../test/support/houses.ts';

/** Finds turns in the comments of code that a newcomer has to read twice, and lines that are too wide. */

/** Each turn, and a plain way to say the same. */
const turns: readonly [turn: RegExp, better: string][] = [
  [/\bof (?:which|whom)\b/gi, 'a sentence of its own, which names the thing again'],
  [/\b(?:which|that|who) (?:it|they|he|she) (?:is|are|was|were) of\b/gi, "the owner's name: “the sale's vendor”"],
  [/\b(?:that|those|ones|the one) of (?:an?|the|its|their|each)\b/gi, 'the noun again, or an owner with ’s'],
  [/\bthose (?:that|which|who|whose)\b/gi, 'the noun, not “those”'],
  [/\bso (?:many|much|long)\b(?! that\b| as\b)/gi, '“at most” with the noun, or “for this time”'],
  [/\b(?:as ever|by now)\b/gi, '“as before”, “now”, “already”'],
  [/(?<=^|[.;:] )Else\b/g, '“Otherwise”, or an “if”'],
  [/(?<=^|[.:] )(?:What|Whatever|Whoever|Whether)\b(?![^.?]*\?)/g, 'the thing by its name at the beginning'],
];

/** The comments of a text, each with the number of its first line. It leaves out the few comments that follow code. */
const commentsOf = (text: string): { first: number; lines: string[] }[] => {
  const comments: { first: number; lines: string[] }[] = [];
  let before = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, mark = '', words = ''] = /^\s*(\/\/|\/\*\*?|\*(?!\/))\s*(.*?)\s*(?:\*\/)?$/.exec(line) ?? [];
    if (mark === '*' || (mark === '//' && before === '//')) comments.at(-1)?.lines.push(words);
    else if (mark !== '') comments.push({ first: index + 1, lines: [words] });
    before = mark;
  }
  return comments;
};

/** Each of these turns in the comments of a text, with its place and a better way, also where a line ends within it. */
export const turnsIn = (file: string, text: string): string[] =>
  commentsOf(text).flatMap(({ first, lines }) => {
    const comment = lines.join(' ');
    const found = turns.flatMap(([turn, better]) =>
      [...comment.matchAll(turn)].map(({ 0: words, index }) => ({ words, index, better })),
    );
    return found
      .sort((one, other) => one.index - other.index)
      .map(({ words, index, better }) => {
        const ends = lines.map((_, number) => lines.slice(0, number + 1).join(' ').length);
        const line = first + ends.findIndex((end) => index < end);
        return `${file}:${line}: "${words}": ${better}`;
      });
  });

/** Each line of a text that holds nothing but a comment, and is wider than the formatter lets a line of code be. */
export const wideIn = (file: string, text: string): string[] =>
  text.split('\n').flatMap((line, index) => {
    const isWide = line.length > 120 && /^\s*(?:\/\/|\/\*|\* )/.test(line);
    return isWide ? [`${file}:${index + 1}: ${line.length} columns: at most 120`] : [];
  });

/** Files that a program writes. */
const generated = ['apps/client/operations.ts', 'apps/client/types.ts'];

const files = [...codeOf(...coded), ...testsOf(...tested)].filter((file) => !generated.includes(file));

/** How many files of each house are read. */
export const readCode = countsOf(files);

/** The turns and the wide comments in all these files. */
export const allTurns = (): string[] =>
  files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...turnsIn(file, text), ...wideIn(file, text)];
  });
