import { count, some } from './format.ts';

/**
 * The English texts that the first view loads. A page's own texts stand beside it, in `<page>.texts.ts`, and the words
 * that several pages use in `words/`. A translation is other objects with these members.
 */

export const texts = {
  desk: 'Desk',
  loading: 'Loading…',
  working: 'Working…',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  skip: 'Skip to the page',
  actions: 'Actions',
  open: 'Open',
  more: 'More',
  moreOf: (name: string) => `More: ${name}`,
  notLoaded: 'Not loaded',
  noScript: 'This part of the desk could not be loaded. Check the connection, and load the desk again.',
  notFound: 'There is no such page.',
  noScope: 'The key that you signed in with does not open this page.',
  /** Stands for a name that cannot be read. */
  unread: { product: 'a product', customer: 'somebody', vendor: 'a vendor', key: 'another key' },
  copyId: 'Copy id',
  copiedId: 'Id copied.',
  copyCommand: 'Copy command',
  copiedCommand: 'Command copied.',
  noAnswer: {
    read: 'The service did not answer. Check the connection and try again.',
    write:
      'The service did not answer, so it may or may not have done this. Press the button again: it is done once, however often you press.',
  },
  shell: {
    pages: 'Pages',
    shortcuts: 'Shortcuts',
    morePages: 'More pages',
    find: 'Search',
    findHelp: 'Search customers, products, sales, pages',
    signOut: 'Sign out',
    help: 'Help',
    notices: 'Licenses',
    version: (version: string) => `Version ${version}`,
    endsKey: 'Signing out ends this key.',
    fullAccess: 'Full access',
    key: (name: string) => `Key: ${name}`,
    closed: 'Closed',
    open: 'Open',
    printed: (at: string) => `Printed ${at}`,
  },
  signIn: {
    title: 'Sign in to the desk',
    intro: 'Paste an API key of your store. The desk shows what this key may do.',
    key: 'API key',
    remember: 'Remember me on this device',
    rememberHelp: 'Otherwise the key is forgotten when you close this tab.',
    submit: 'Sign in',
    how: 'To get a key, run this command in a terminal, as docs/operate/terminal.md shows. It prints a link that signs you in:',
    command: 'npx store desk --stage prod \\\n  --preset support --expires 12h',
    wrong: 'This key does not work: it may have expired, been revoked, or been copied in part.',
    empty: 'Paste a key first.',
    unreachable: 'The service did not answer. Check the connection and try again.',
    livesOn: (name: string) =>
      `You are signed out here. The service did not answer, so the key of your link works until it expires. To end it now, run this command in a terminal, as docs/operate/terminal.md shows: npx store key revoke "${name}"`,
    goOn: (store: string) => `Go on at ${store}`,
    again: {
      title: 'Sign in again',
      text: 'Your sign-in has ended. What you entered stays here.',
      other: (opened: string, own: string) => `This key opens ${opened}. Use a key of ${own}, or sign out first.`,
      unanswered:
        'An earlier press got no answer, and a new key cannot tell whether it was done. Look at the customer or thing before you press again.',
    },
    choice: {
      title: 'Which store?',
      text: (opened: string, kept: string) => `This link opens ${opened}. You are signed in at ${kept}.`,
      stay: (store: string) => `Stay at ${store}`,
      open: (store: string) => `Open ${store}`,
      help: 'If you do not know who made this link, stay: everything that you enter in another store is seen there. A key that this device remembers stays remembered.',
    },
  },
  edit: {
    save: 'Save',
    discard: 'Discard',
    unsaved: (changes: number) =>
      changes === 0 ? 'Nothing is changed' : `${some(changes, 'change is', 'changes are')} not saved`,
    title: 'Somebody changed this meanwhile',
    text: 'Nothing was saved. Choose which values to keep.',
    theirs: 'Saved meanwhile',
    mine: 'Yours',
    untouched: 'not changed by you',
    saveMine: 'Save my changes',
    takeTheirs: 'Keep what was saved',
  },
  leave: {
    title: 'Leave without saving?',
    text: 'What you have entered here is not saved.',
    stay: 'Stay here',
    leave: 'Leave',
    discard: 'Close without saving',
  },
  /** The units in boxes, for a screen reader. */
  units: { L$: ' in L$', '%': ' in percent' },
  pickProduct: 'Pick a product from the list.',
  suggestions: {
    inactive: 'Inactive',
    title: 'Customers',
    formerly: (name: string) => `formerly ${name}`,
  },
  list: {
    pages: 'Pages of the list',
    skip: 'Skip the rows',
    next: 'Next',
    previous: 'Back',
    export: 'Export CSV',
    exporting: (rows: number) => `Exporting: ${some(rows, 'row', 'rows')}…`,
    exported: (rows: number) => `Exported ${some(rows, 'row', 'rows')}.`,
    all: 'All',
    columns: 'Columns',
    part: (rows: number) => `These ${count(rows)} rows are a part of the list. It has more.`,
    range: (before: number, shown: number, all: number) =>
      `${count(before + 1)} – ${count(before + shown)} of ${count(all)}`,
    count: (rows: number) => `${count(rows)} in all`,
    narrow: (rows: number) => `More than ${count(rows)} rows. Narrow the list to sort it.`,
    sort: 'Sort',
    unsorted: 'As it is',
    /** The two directions of an order. */
    orders: {
      text: ['A to Z', 'Z to A'],
      size: ['smallest first', 'largest first'],
      time: ['oldest first', 'newest first'],
    },
    sorted: (heading: string, how: string | undefined) => `Sorted by ${heading.toLowerCase()}, ${how}.`,
  },
  home: {
    title: 'Home',
    attention: 'Needs attention',
    fine: 'Nothing needs you right now.',
    closed: 'The store is closed: quotes and sales are refused.',
    lostVendors: (vendors: number, isMore: boolean) =>
      `${count(vendors)}${isMore ? ' or more' : ''} ${vendors === 1 ? 'vendor has' : 'vendors have'} not been heard from for 30 hours.`,
    unknownPayouts: (payouts: number, isMore: boolean) =>
      `${count(payouts)}${isMore ? ' or more' : ''} ${payouts === 1 ? 'payout' : 'payouts'} may or may not have been paid.`,
    silent: (waiting: string) => `Your box is not responding. ${waiting}.`,
    lost: (at: string) => `Your box stopped responding ${at}, and has not come back.`,
    waiting: (deliveries: number, isMore: boolean) =>
      `${count(deliveries)}${isMore ? ' or more' : ''} ${deliveries === 1 ? 'delivery is waiting' : 'deliveries are waiting'}`,
    failed: (deliveries: number, isMore: boolean) =>
      `${count(deliveries)}${isMore ? ' or more' : ''} ${deliveries === 1 ? 'delivery' : 'deliveries'} failed in the last 30 days.`,
    see: 'Show',
    keyEnds: (when: string) => `Your key ends ${when}.`,
    noBox: 'No box yet: nothing can be delivered.',
    noDays: 'This key does not show sums: they need the scope sales:read.',
  },
  setup: {
    titles: {
      box: 'Set up a box',
      vendor: 'Set up a vendor',
      shelf: 'Set up a shelf',
      terminal: 'Set up a terminal',
      cashier: 'Set up a cashier',
    },
  },
  imports: { products: 'Import products', categories: 'Import categories', credit: 'Give credit by a file' },
  /** The titles of pages, which the menu shows. */
  titles: {
    customers: 'Customers',
    sales: 'Sales',
    reports: 'Reports',
    payouts: 'Payouts',
    vendors: 'Vendors',
    deliveries: 'Deliveries',
    boxes: 'Boxes',
    products: 'Products',
    categories: 'Categories',
    coupons: 'Coupons',
    rules: 'Prices and bonus',
    giftCards: 'Gift cards',
    webhooks: 'Webhooks',
    events: 'Events',
    settings: 'Store',
    team: 'Team and keys',
    journal: 'Journal',
  },
  /** The groups of the menu. */
  groups: { sell: 'Sell', customers: 'Customers', inworld: 'Inworld', money: 'Money', settings: 'Settings' },
};
