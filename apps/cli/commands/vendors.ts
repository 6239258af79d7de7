import { Option } from 'commander';
import { type VendorAnswer, type VendorState, vendorStates } from '../../../lib/routes/vendors.ts';
import { deleteVendor, getVendor, listVendors, setProduct, vendorAnswers } from '../../../lib/vendor/vendors.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { orUnknown } from '../terminal/errors.ts';
import { ask, parseCount, parseIdOf, unknownId } from '../terminal/input.ts';
import { type Column, isInteractive, print, printUpTo, shownTime } from '../terminal/output.ts';

const stateStyles = { active: 'green', lost: 'red' } as const;

const columns: Column<VendorAnswer>[] = [
  { heading: 'uuid', cell: ({ uuid }) => uuid },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  {
    heading: 'place',
    cell: ({ region, position }) => [region, ...(position ? [position] : [])].join(' '),
    wraps: true,
  },
  { heading: 'product', cell: ({ product }) => product?.name, wraps: true },
  { heading: 'L$', cell: ({ product }) => product?.activePrice },
  { heading: 'seen', cell: ({ seenAt }) => shownTime(seenAt) },
];

interface ListOptions extends GlobalOptions {
  product?: string;
  state?: VendorState;
  limit: number;
}

const list = async (options: ListOptions): Promise<void> => {
  const { product, state, limit } = options;
  const { id, name } = (await openStore(options)).store;
  const vendors = await listVendors(id, { product, state })({ descending: false, limit: limit + 1 });
  printUpTo(limit, await vendorAnswers(id, vendors), columns, `No such vendor of ${name} has registered.`);
};

const show = async (options: GlobalOptions, uuid: string): Promise<void> => {
  const { store } = await openStore(options);
  print(await orUnknown(getVendor(store.id, uuid), unknownId(store.name, 'vendor', uuid)), columns);
};

const setItsProduct = async (options: GlobalOptions, uuid: string, product: string): Promise<void> => {
  const productId = product === 'none' ? null : parseIdOf('product')(product);
  const { target, store } = await openStore(options);
  const logged = (await openLog(target))('vendor.product_set', store.id, { vendor: uuid, productId });
  const set = setProduct(store.id, uuid, productId, logged);
  print(await orUnknown(set, unknownId(store.name, 'vendor', uuid)), columns);
};

const remove = async (options: GlobalOptions & { yes?: boolean }, uuid: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const { name, region } = await orUnknown(getVendor(store.id, uuid), unknownId(store.name, 'vendor', uuid));
  const question = `Forget ${name} in ${region}, of ${store.name} on ${target.name}? Type remove to go on.`;
  if (!options.yes && isInteractive())
    await ask(question, '--yes', (answer) => (answer === 'remove' ? undefined : 'Type remove, or press Ctrl-C.'));
  const logged = (await openLog(target))('vendor.removed', store.id, { vendor: uuid, name, region });
  await orUnknown(deleteVendor(store.id, uuid, logged), unknownId(store.name, 'vendor', uuid));
  print({ uuid, removed: true }, [{ heading: 'removed', cell: () => uuid }]);
};

const exampleId = '00000013-dede-4ede-8ede-000000000001';
const uuidArgument = ['<uuid>', 'the UUID of the object, from store vendors list', parseIdOf('vendor')] as const;

/** Adds `store vendors list|show|set-product|remove`. */
export const addVendors = (program: StoreCommand): void => {
  const vendors = program
    .command('vendors')
    .description('The objects inworld that sell: see where they are, set what they sell, forget them.');

  vendors
    .command('list')
    .description('Lists vendors, by UUID.')
    .addOption(new Option('--state <state>', 'only vendors in this state').choices(vendorStates))
    .option('--product <id>', 'only vendors of this product', parseIdOf('product'))
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples('store vendors list', 'store vendors list --state lost --json')
    .runs(list);

  vendors
    .command('show')
    .description('Shows a vendor, and what it sells now.')
    .argument(...uuidArgument)
    .examples(`store vendors show ${exampleId}`)
    .runs(show);

  vendors
    .command('set-product')
    .description('Sets the product that a vendor sells. It learns that within seconds, if it has an address.')
    .argument(...uuidArgument)
    .argument('<product>', 'the UUID of the product, or none')
    .examples(`store vendors set-product ${exampleId} 00000003-dede-4ede-8ede-000000000001`)
    .runs(setItsProduct);

  vendors
    .command('remove')
    .description('Forgets a vendor. It is known again, as a new one, when it registers.')
    .argument(...uuidArgument)
    .option('--yes', 'do not ask')
    .examples('store vendors remove 00000013-dede-4ede-8ede-000000000002')
    .runs(remove);
};
