import { type CustomerItem, flagsOf, listCustomerItems } from '../../../lib/avatars/customers.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { customerImporter } from '../../../lib/operator/imports/customers.ts';
import { banCustomer, updateCustomer } from '../../../lib/routes/customers.ts';
import { identifier } from '../../../lib/routes/wire.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { getMany } from '../../../lib/table/table.ts';
import { scanStore } from '../deployment/scan.ts';
import { grouped } from '../terminal/output.ts';
import type { Check } from './audit.ts';
import { columns, flag, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { itemAt, personal } from './personal.ts';
import { keptTexts, withoutTexts } from './reason-columns.ts';

const customerDiscount = updateCustomer.body.shape.discount.unwrap().default(0);
const banReason = banCustomer.body.shape.reason.unwrap().default('');

/** The customer's item. An erasure keeps it under the pseudonym, without the customer's settings. */
export const customerItems = personal<CreditItem>({
  words: ['customer', 'customers'],
  effect: 'pseudonym; ban, discount and subscription go',
  phase: 'customer',
  find: (store, uuid) => itemAt(customerKey(store, uuid)),
  blocker: ({ credit = 0, restrictedCredit = 0 }, { forfeit }) =>
    !forfeit && credit + restrictedCredit > 0
      ? `They hold L$ ${grouped(credit)} of credit and L$ ${grouped(restrictedCredit)} of restricted credit. Let them spend it, or set both to 0 with --forfeit.`
      : undefined,
  kept: (item, { store, pseudonym }) => {
    const { banReason, isBanned, discount, newsSubscriber, told, ...customer } = item as CreditItem & CustomerItem;
    const { lastChange } = customer;
    return {
      ...customer,
      ...customerKey(store, pseudonym),
      username: pseudonym,
      moved: true,
      flags: flagsOf(store, false),
      ...(lastChange && { lastChange: { ...withoutTexts(lastChange), ...keptTexts(lastChange) } }),
    };
  },
});

/** Matches kind and UUID in a customer's partition key. */
const ofCustomer = /^[^#]+#(LOT|OWNED|APPLIED|HISTORY)#([^#]+)/;

/**
 * Finds UUIDs that have items of a customer but no customer. Yields each UUID once for every kind of such items. Reads
 * the whole table, since no other item leads to them.
 */
export async function* strayOwners(
  store: string,
  onChecked: (count: number) => void,
): AsyncGenerator<{ uuid: string; kind: string }> {
  let count = 0;
  const seen = new Set<string>();
  for await (const keys of scanStore(store)) {
    count += keys.length;
    onChecked(count);
    const owners = new Map(
      keys.flatMap(({ pk, erased }) => {
        const [, kind = '', uuid] = ofCustomer.exec(pk) ?? [];
        return uuid === undefined || erased !== undefined ? [] : [[`${kind} ${uuid}`, { uuid, kind }] as const];
      }),
    );
    const found = await getMany(
      [...owners.values()].map(({ uuid }) => customerKey(store, uuid)),
      { consistent: true },
    );
    const there = new Set(found.map(({ sk }) => sk));
    for (const [name, owner] of owners) {
      if (there.has(owner.uuid) || seen.has(name)) continue;
      seen.add(name);
      yield owner;
    }
  }
}

/** Each item of a customer belongs to a customer that exists. */
export const checkStrays: Check = async (store, { onFault, onChecked }) => {
  let checked = 0;
  const counting = (count: number): void => {
    checked = count;
    onChecked(count);
  };
  for await (const { uuid, kind } of strayOwners(store, counting))
    onFault(`customer ${uuid}: there are items of the kind ${kind}, but no customer.`);
  return checked;
};

export const customers: Kind = {
  file: {
    name: 'customers',
    summary: 'settings of customers; their credit and purchases have files of their own',
    columns: columns({
      resident: ['person', identifier(), 'the customer, by UUID or username'],
      discount: ['integer', customerDiscount, 'their discount'],
      newsSubscriber: ['boolean', flag, 'whether they get the news'],
      isBanned: ['boolean', flag, 'whether they are banned'],
      banReason: ['text', banReason, 'why, if they are'],
    }),
    unique: ({ resident }, uuidOf) => ({ resident: [uuidOf(resident)] }),
    importer: () => customerImporter,
    rows: (store) =>
      rowsFrom(listCustomerItems(store), 'sk', (item) => ({
        discount: 0,
        newsSubscriber: false,
        isBanned: false,
        ...item,
        resident: item.sk,
      })),
  },
  personal: [customerItems],
  audit: [{ what: 'items', check: checkStrays, holds: 'each item of a customer belongs to one who is there' }],
};
