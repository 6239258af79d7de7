/** Writes everything that a store has into files of a directory. */
export const exportAll = async (_storeId: string, _dir: string): Promise<void> => {
  throw new Error('this version cannot export yet');
};
