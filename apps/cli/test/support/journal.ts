/** A reader of accounting journals that holds them to the rules of `hledger check --strict ordereddates`. */

const header = /^(\d{4}-\d\d-\d\d) (?:\([^()]*\) )?\S.*$/;
const posting = /^ {4}(\S(?: ?\S)*) {2,}(-?\d+) (\S+)(?: = (-?\d+) (\S+))?$/;

/** The sentences about what is wrong in a journal. */
export const journalFaults = (text: string): string[] => {
  const faults: string[] = [];
  const accounts = new Set<string>();
  const commodities = new Set<string>();
  // Declarations count wherever they stand.
  for (const line of text.split('\n')) {
    const account = /^account (\S(?: ?\S)*)/.exec(line)?.[1];
    const commodity = /^commodity 1000\. (\S+)$/.exec(line)?.[1];
    if (account !== undefined) accounts.add(account);
    if (commodity !== undefined) commodities.add(commodity);
  }
  const balances = new Map<string, number>();
  let day = '';
  let sum: number | undefined;
  let count = 0;
  const endTransaction = (at: number): void => {
    if (sum !== undefined && (sum !== 0 || count < 2)) faults.push(`line ${at}: ${count} postings come to ${sum}`);
    sum = undefined;
  };
  for (const [index, line] of text.split('\n').entries()) {
    const at = index + 1;
    const [, date] = header.exec(line) ?? [];
    const [, account = '', amount = '', commodity = '', asserted, assertedCommodity] = posting.exec(line) ?? [];
    if (date !== undefined) {
      endTransaction(at);
      if (new Date(date).toISOString().slice(0, 10) !== date) faults.push(`line ${at}: ${date} is no date`);
      if (date < day) faults.push(`line ${at}: ${date} follows ${day}`);
      [day, sum, count] = [date, 0, 0];
    } else if (account !== '') {
      if (sum === undefined) faults.push(`line ${at}: a posting in no transaction`);
      if (!accounts.has(account)) faults.push(`line ${at}: the account ${account} is not declared`);
      for (const one of [commodity, assertedCommodity])
        if (one !== undefined && !commodities.has(one)) faults.push(`line ${at}: the commodity ${one} is not declared`);
      const balance = (balances.get(account) ?? 0) + Number(amount);
      balances.set(account, balance);
      sum = (sum ?? 0) + Number(amount);
      count += 1;
      if (asserted !== undefined && balance !== Number(asserted))
        faults.push(`line ${at}: ${account} has ${balance}, not ${asserted}`);
    } else if (line === '') endTransaction(at);
    // Comments come before the postings: after one, hledger reads a tag such as date: as an order.
    else if (/^ {4};/.test(line) ? count > 0 || sum === undefined : !/^(account|commodity) /.test(line))
      faults.push(`line ${at}: cannot be read: ${line}`);
  }
  endTransaction(text.split('\n').length);
  return faults;
};
