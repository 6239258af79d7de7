/** The number of changes (adding, removing or replacing a character) that turn one word into another. */
const changesBetween = (a: string, b: string): number => {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, sign] of [...a].entries()) {
    const row = [i + 1];
    for (const [j, other] of [...b].entries())
      row.push(Math.min((before[j] ?? 0) + Number(sign !== other), (before[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    before = row;
  }
  return before[b.length] ?? 0;
};

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The name that a word most likely means: the name with the fewest changes, or one that begins or ends with the word.
 * Undefined if no name is similar.
 */
export const nearestOf = (word: string, names: readonly string[]): string | undefined => {
  const wanted = letters(word).slice(0, 60);
  if (wanted.length < 2) return undefined;
  const distance = (name: string): number => {
    const known = letters(name);
    const isPart = wanted.length > 2 && (known.endsWith(wanted) || known.startsWith(wanted) || wanted.endsWith(known));
    return isPart ? 1 : changesBetween(wanted, known);
  };
  const [best] = names.map((name) => ({ name, far: distance(name) })).sort((a, b) => a.far - b.far);
  return best && best.far <= Math.max(1, Math.floor(wanted.length / 3)) ? best.name : undefined;
};
