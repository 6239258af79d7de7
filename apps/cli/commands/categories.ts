import { sortMemberships } from '../../../lib/operator/sort-memberships.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { counted, isJson, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

const repair = async (options: GlobalOptions): Promise<void> => {
  const { store } = await openStore(options);
  const progress = startProgress('Sorting products');
  const { changed, left } = await sortMemberships(store.id, (count) => progress.update(count));
  progress.end();
  if (isJson()) print({ store: store.id, changed, left }, []);
  else note(`${counted(changed, 'product')} of ${store.name} had to be sorted into their categories.`);
  if (left > 0)
    throw new Failure(
      `${counted(left, 'product')} changed all the time and could not be sorted: run the command again.`,
    );
};

export const addCategories = (program: StoreCommand): void => {
  program
    .command('categories')
    .description('Categories: repair.')
    .command('repair')
    .description(
      'Sorts the products of all categories by their flags, so that filters find them, for the faults that "store audit" names. Can be repeated, while the store is open.',
    )
    .examples('store categories repair', 'store categories repair --stage prod --store "My Store"')
    .runs(repair);
};
