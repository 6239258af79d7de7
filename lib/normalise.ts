/** Text as the service compares it without case: NFKC and lower case, both forms of sigma as one. */
export const folded = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
