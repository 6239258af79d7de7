export const t = {
  title: 'Your first day',
  hide: 'Hide these steps',
  done: 'Done',
  open: 'To do',
  optional: 'If you like',
  newProduct: 'New product',
  needsProduct: 'Make a product first.',
  product: { title: 'Make a product', help: 'A name and a price are enough to begin with.' },
  box: { title: 'Set up the box', help: 'It lies on your land, holds your items, and gives them to your customers.' },
  vendor: {
    title: 'Set up a vendor',
    help: 'Customers pay it. It needs Second Life and can wait: until then, sell by hand.',
  },
  sale: {
    title: 'Make a test sale',
    help: 'Sell the product to yourself, and see it delivered. Choose a price of 0, or refund it afterwards.',
  },
  sell: 'Sell by hand',
  person: {
    title: 'Bring a second person',
    help: 'Invite somebody who helps your customers. With Support they can change no product and no price.',
  },
};
