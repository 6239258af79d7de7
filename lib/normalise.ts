/** Normalises text for comparison without case: NFKC, lower case, and one form of sigma. */
export const normalised = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
