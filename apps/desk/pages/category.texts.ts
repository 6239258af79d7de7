import { count } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.categories,
  caption: 'Categories of the store',
  none: 'There are no categories yet. Press New category, and add products to it on its page.',
  empty: 'No active product is in this category. Press Add a product.',
  members: (name: string) => `Active products of ${name}`,
  name: 'Name',
  products: 'Products',
  id: 'Id',
  create: 'New category',
  created: (name: string) => `Made the category ${name}.`,
  rename: 'Rename',
  renamed: (name: string) => `The category is called ${name} now.`,
  remove: {
    open: 'Delete',
    title: (name: string) => `Delete ${name}?`,
    text: (products: number) =>
      `${products === 1 ? 'The one product' : `The ${count(products)} products`} of this category stay in the store.`,
    submit: 'Delete',
    done: (name: string) => `Deleted the category ${name}.`,
  },
  add: {
    open: 'Add a product',
    product: 'Product',
    submit: 'Add',
    missing: (text: string) =>
      text ? `No product is called ${text}. Pick one from the list.` : 'Enter a product first.',
    done: (product: string, name: string) => `Added ${product} to ${name}.`,
  },
  takeOut: {
    open: 'Take out',
    done: (product: string, name: string) => `Took ${product} out of ${name}.`,
  },
};
