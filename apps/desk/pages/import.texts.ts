export const t = {
  intro: 'A CSV file whose first line names the columns. Nothing is written before you have seen what would change.',
  drop: 'Drop a CSV file here, or choose one',
  columns: 'Columns',
  required: 'required',
  example: 'Save an empty file with these columns',
  command: {
    help: 'For larger files and other data, run the command in a terminal, as docs/operate/terminal.md shows. It reads the same columns:',
    products: 'npx store import products products.csv --dry-run',
    categories: 'npx store import categories categories.csv --dry-run',
    credit: 'npx store credit give gifts.csv --reference SUMMER-26 --reason "Summer bonus" --dry-run',
  },
};
