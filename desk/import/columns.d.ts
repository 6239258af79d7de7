/** The columns of the files that can be imported, as JSON (`infra/import-columns.ts`). */
declare const importColumnsJson: string;
