import { nameProducts } from '../catalogue/products.ts';
import { type ListedChange, listCreditHistory } from '../credit/history-list.ts';
import type { CreditType } from '../credit/rules.ts';
import { loaded, type Source } from '../lists/source.ts';
import type { NamedProduct } from '../routes/me.ts';
import { saleKey } from '../table/keys.ts';
import { getMany } from '../table/table.ts';
import type { SaleItem } from './sales.ts';

/** The changes of a customer's credit with the products of their sales, the newest first. */
export const listOwnHistory = (
  store: string,
  uuid: string,
  type?: CreditType,
): Source<ListedChange & { product: NamedProduct | null }> =>
  loaded(
    listCreditHistory(store, uuid, type),
    ({ position }) => position,
    async (changes) => {
      const sales = await getMany<SaleItem>(
        changes.flatMap(({ saleId }) => (saleId === null ? [] : saleKey(store, saleId))),
      );
      const products = await nameProducts(
        store,
        sales.map(({ productId }) => productId),
      );
      const productOf = new Map(sales.map(({ sk, productId }) => [sk, products.get(productId)]));
      return changes.map((change) => ({ ...change, product: productOf.get(change.saleId ?? '') ?? null }));
    },
  );
