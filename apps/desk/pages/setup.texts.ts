export const t = {
  intro: 'An object inworld needs a script and a notecard. You need no programming.',
  names: { box: 'Box', vendor: 'Vendor', shelf: 'Shelf', terminal: 'Terminal', cashier: 'Cashier' },
  command: (object: 'box' | 'vendor' | 'shelf' | 'terminal' | 'cashier', preset: string) =>
    `npx store key issue ${{ box: 'box', vendor: 'shop', shelf: 'shelf', terminal: 'counter', cashier: 'till' }[object]} --preset ${preset}`,
  key: {
    title: 'Make a key for it',
    help: 'The key is for this object alone. It goes into the notecard below, and is shown only now.',
    made: 'The key is in the notecard below: copy it now. It is not shown again.',
    name: 'Name of the object',
    make: 'Make the key',
    byOwner:
      'An owner makes it on the page Team and keys. Or paste this command into the terminal of the AWS account, and add --stage prod: docs/operate/terminal.md shows how. Put the key behind “key =” in the notecard.',
  },
  notecard: {
    title: (name: string) => `Make a notecard named ${name}`,
    help: (name: string) =>
      `Put it into the contents of the object. The script looks for exactly this name: ${name}. Anybody who may edit the object can read the key, so let nobody else edit it.`,
    product: 'The product that it sells (optional here: the page Vendors can change it)',
    copy: 'Copy notecard',
    copied: 'Notecard copied.',
  },
  script: {
    title: 'Put the script into it',
    help: 'Press New Script in the contents of the object, open it, and replace all of its text by what you copied. Choose LSL (Mono) in the list of compilers, and save.',
    copy: 'Copy script',
    copied: 'Script copied.',
  },
  end: {
    title: 'Look at it',
    help: {
      box: 'Put your items into its contents, each under the name that its product has for the item. After some seconds the box says that it is ready.',
      vendor: 'Allow it to give L$ back: it asks for that. Then it shows the name and the price of its product.',
      shelf:
        'Write the UUID of a category behind “category =”: it ends the address of its page here. Link the prim to a vendor, with two prims named next and previous.',
      terminal: 'After some seconds it says that it is ready. Touch it to see your own credit.',
      cashier:
        'Allow it to pay L$, and write the most that it may pay a day behind “limit =”. It tells you once a day what it paid.',
    },
  },
  others: 'Other objects',
};
