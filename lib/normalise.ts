/** Folds text for comparison without case: NFKC, lower case, and one form of sigma. */
export const folded = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
