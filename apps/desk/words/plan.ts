import { count, money, some } from '../format.ts';

/** The words of a plan, in which an import or a change of many things shows what it would do. */
export const planWords = {
  files: { products: 'products', categories: 'categories', credit: 'gifts' },
  run: {
    reference: 'Name of this run',
    referenceHelp: 'Under one name nobody gets the same credit twice. To go on with a run, use its name again.',
    reason: 'Reason',
    reasonHelp: 'Customers read it in their history.',
    missing: 'Enter a name for this run and a reason.',
    show: 'Show what would change',
  },
  reading: (done: number, all: number) =>
    all > 0 ? `Looking at ${count(done)} of ${count(all)}…` : `Looking at the store: ${count(done)}…`,
  tooLarge: 'The store has too many products for this page. Use the command.',
  line: 'Line',
  name: 'Name',
  outcome: 'Outcome',
  outcomes: { create: 'New', change: 'Changes', same: 'Stays', refused: 'Cannot be imported' },
  chosen: { create: 'New', change: 'Changes', same: 'Stays', refused: 'Cannot be changed' },
  gifts: { create: 'Gets', change: 'Gets', same: 'Stays', refused: 'Cannot be given' },
  done: 'Done',
  left: 'Not done',
  details: 'What changes',
  from: (from: string) => (from === '' ? 'empty' : from),
  given: 'Given already.',
  kept: (here: number, file: number) => `Copies stay: ${count(here)} here, ${count(file)} in the file.`,
  setCopies: 'Set copies of limited products, though some may have been sold since the file was written',
  /** The words that differ between rows of a file and rows chosen in a list. */
  of: {
    file: {
      rows: (rows: number) => some(rows, 'line', 'lines'),
      all: 'Show the lines that stay as they are, too',
      caption: 'What the file would change',
      nothingShown: 'No line changes anything.',
      write: 'Import',
      done: (lines: number, of: string) => `${count(lines)} of ${of} ${lines === 1 ? 'was' : 'were'} imported`,
      end: 'Another file',
      again: 'drop the same file again',
    },
    customers: {
      rows: (rows: number) => some(rows, 'customer', 'customers'),
      all: 'Show those who have got it already, too',
      caption: 'What the customers would get',
      nothingShown: 'Nobody would get anything.',
      write: 'Give it to',
      done: (people: number, of: string) => `${count(people)} of ${of} got it`,
      end: 'Back to the list',
      again: 'choose the same customers again and give it under the same name',
    },
    products: {
      rows: (rows: number) => some(rows, 'product', 'products'),
      all: 'Show the products that stay as they are, too',
      caption: 'What would change',
      nothingShown: 'No product would change.',
      write: 'Set it for',
      done: (products: number, of: string) => `It is set for ${count(products)} of ${of}`,
      end: 'Back to the list',
      again: 'choose the products again',
    },
  },
  cut: (shown: number, all: string) => `The first ${count(shown)} of ${all} are shown. Export has all.`,
  sums: (create: number, change: number, same: number, refused: number) =>
    [
      `${count(create)} new`,
      `${count(change)} to change`,
      `${count(same)} ${same === 1 ? 'stays' : 'stay'} as ${same === 1 ? 'it is' : 'they are'}`,
      `${count(refused)} cannot be imported`,
    ].join(', '),
  giftSums: (people: number, amount: number, same: number, refused: number) =>
    [
      `${some(people, 'line gives', 'lines give')} ${money(amount)}`,
      `${some(same, 'line was', 'lines were')} given already`,
      `${count(refused)} cannot be given`,
    ].join(', '),
  chosenGiftSums: (people: number, amount: number, same: number, refused: number) =>
    [
      `${some(people, 'customer gets', 'customers get')} ${money(amount)} in all`,
      `${count(same)} got it already`,
      `${count(refused)} cannot get it`,
    ].join(', '),
  chosenSums: (change: number, same: number, refused: number) =>
    [
      `${some(change, 'product changes', 'products change')}`,
      `${count(same)} ${same === 1 ? 'stays' : 'stay'} as ${same === 1 ? 'it is' : 'they are'}`,
      `${count(refused)} cannot be changed`,
    ].join(', '),
  others: (verb: string, rows: string, refused: number) => `${verb} ${refused > 0 ? 'the other ' : ''}${rows}`,
  give: (amount: number) => `Give ${money(amount)}`,
  goOn: (rows: string) => `Go on with ${rows}`,
  stop: 'Stop',
  writing: (done: number, all: string) => `Written: ${count(done)} of ${all}`,
  givenOf: (lines: number, of: string) => `${count(lines)} of ${of} ${lines === 1 ? 'was' : 'were'} given`,
  ended: (done: string, same: number, failed: number) =>
    [
      `${done}.`,
      ...(same > 0 ? [`${count(same)} stayed as ${same === 1 ? 'it was' : 'they were'}.`] : []),
      ...(failed > 0 ? [`${count(failed)} failed: see below.`] : []),
    ].join(' '),
  saveFailed: (lines: number) => `Save ${some(lines, 'failed line', 'failed lines')}`,
  stopped: (again: string) => `Stopped. What is written stays, and nothing is written twice: go on here, or ${again}.`,
  faults: {
    utf8: 'This file is not UTF-8. Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”), and drop that.',
    otherForm: (what: string) => `This file ${what}, and drop that.`,
    noRows: 'This file has no rows. Its first line names the columns, and each line after it is one row.',
    tooMany: (rows: number, most: number) =>
      `This file has ${count(rows)} rows, and the desk takes ${count(most)}. Use the command below, which takes any number.`,
    header: (fault: string) => `In the first line ${fault}`,
    noCsv: (fault: string) => `In this file ${fault}.`,
    length: (wanted: number, found: number) =>
      `The line has ${some(found, 'value', 'values')}, and the first line ${count(wanted)}.`,
    empty: (name: string) => `The column ${name} is empty.`,
    value: (name: string, value: string, sentence: string) => `Column ${name}, “${value}”: ${sentence}`,
    digits: 'Enter digits only, such as 1000, without separators and without zeros behind a point.',
    unknownId: (id: string) =>
      `There is nothing with the id ${id}. Leave the id empty to make a new one; the command keeps ids.`,
    sameName: (found: number) => `${count(found)} have this name. Write the UUID of the one into the column id.`,
    twin: (line: number) => `Line ${count(line)} is about the same.`,
    noDemo: (text: string) => `Its demo ${text} is neither in the store nor among the lines that can be imported.`,
    ownDemo: 'It cannot be its own demo.',
    circle: 'Its demo leads back to it.',
    noCategory: (text: string) => `There is no category ${text}, or several of this name. Import categories first.`,
    stranger: (name: string) => `Nobody is known as ${name}.`,
    mpListing: 'Only the command can set mpListing. Leave the column out.',
    nobody: 'Nobody is known by this name.',
    behind: 'The history of this customer is not complete yet. Try again in a minute.',
    gaveOther: (amount: number) => `The run of this name gave ${money(amount)} already. Give this under another name.`,
    changed: 'Somebody has changed it meanwhile. Try again to see it as it is now.',
  },
};
