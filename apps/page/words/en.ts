/**
 * All words of the customer's page, in English. `de.ts` has the same ones. A figure, date or name comes in as a text.
 */
export const en = {
  title: 'Store credit',
  /** The language's own name. */
  language: 'English',
  chooseLanguage: 'Language',

  door: {
    title: 'Your store credit',
    what: 'This page shows what a store in the virtual world holds for you: your credit, what you bought there, and your gift cards.',
    promise: 'It is for you alone, and never asks for a password or for L$.',
    once: 'Your link opens the page once, for an hour.',
    open: 'Open',
    label: 'Your link or code',
    hint: 'Touch the terminal in the store and choose My page. Paste the link here, or only its code.',
    noCode: 'This is not a whole link from a terminal. Copy it from the beginning to the end.',
    another: 'Do you have a new link?',
    used: {
      title: 'This link was used already',
      text: 'Each link opens one page, once. Touch the terminal again for a new link. If it was not you who opened this one, tell the people of the store.',
    },
    over: {
      title: 'This link does not work any more',
      text: 'A link from the terminal works for ten minutes. Touch the terminal again for a new one.',
    },
    ended: {
      title: 'This page has ended',
      text: 'Touch the terminal again for a new link.',
    },
    left: {
      title: 'You are signed out',
      text: 'This page shows nothing of yours any more. To look again, touch the terminal for a new link.',
    },
    leftUnsure: (time: string) =>
      `This page shows nothing of yours any more. The store did not answer, so the page itself ends at ${time}.`,
    lost: {
      title: 'The store does not answer',
      text: 'Your page is still there. Look at your connection, then try again.',
    },
    tooOften: {
      title: 'This page was looked at too often',
      text: (time: string) => `It shows nothing more until ${time}. Touch the terminal for a new link before that.`,
    },
  },

  again: 'Try again',
  more: 'Show more',
  moreOf: (what: string) => `Show more: ${what}`,
  busy: 'One moment…',
  close: 'Close',
  cancel: 'Cancel',

  credit: {
    yours: (name: string) => `Your credit, ${name}`,
    restricted: (money: string) => `and ${money} for your own purchases`,
    ends: (money: string, count: number, date: string) => `${money} ${count === 1 ? 'ends' : 'end'} on ${date}`,
    endsToday: (money: string, count: number, time: string) =>
      `${money} ${count === 1 ? 'ends' : 'end'} today at ${time}`,
    endsWhen: (when: string) => `, ${when}.`,
    first: 'Credit that ends first is spent first.',
    closed: 'The store is closed just now. Your credit stays, and all of this page works.',
  },

  lots: {
    title: 'How long it lasts',
    until: (date: string) => `until ${date}`,
    never: 'does not end',
    restricted: 'for your own purchases',
    none: 'You have no credit here yet. When the store gives you some, you see here how long it lasts.',
  },

  products: {
    title: 'What you bought',
    delivered: 'delivered',
    notDelivered: 'not delivered',
    onItsWay: 'on its way to you',
    times: (count: string) => `${count} times`,
    gone: 'A product that is no more',
    noCopy: 'The store can send this one only once.',
    send: 'Send again',
    sendOf: (name: string) => `Send again: ${name}`,
    sent: (name: string) => `${name} is on its way to you.`,
    none: 'You have bought nothing here yet.',
  },

  cards: {
    title: 'Gift cards and discounts',
    card: (money: string) => `${money} gift card`,
    becomes: 'becomes credit that does not end',
    redeem: 'Redeem',
    redeemOf: (money: string) => `Redeem: ${money}`,
    redeemAll: 'Redeem all',
    ask: (money: string) => `Redeem the card of ${money}?`,
    askAll: 'Redeem all of your cards?',
    effect: (money: string, store: string) => `${money} become your credit at ${store}. They do not end.`,
    effectAll: (store: string) => `What is on them becomes your credit at ${store}. It does not end.`,
    forGood: 'The card is used up then. Nobody can turn this back.',
    forGoodAll: 'The cards are used up then. Nobody can turn this back.',
    transfer: 'Until then you can still give it to somebody else.',
    redeemed: (money: string) => `${money} are now your credit.`,
    nothing: 'There was no card left to redeem.',
    offAll: (percent: string) => `${percent} off everything`,
    ownNote: 'your own discount',
    coupon: (percent: string, product: string) => `${percent} off ${product}`,
    couponNote: (code: string, date: string) => `coupon ${code}, until ${date}`,
    none: 'You have no gift card and no discount here.',
  },

  history: {
    title: 'Credit history',
    bought: (product: string) => `Bought ${product}`,
    refund: (product: string) => `Refund of ${product}`,
    bonus: (product: string) => `Bonus for ${product}`,
    bonusBack: (product: string) => `Bonus taken back for ${product}`,
    gone: 'a product that is no more',
    set: 'Credit set by the store',
    given: 'Credit from the store',
    taken: 'Taken by the store',
    expired: 'Credit ended',
    redeemed: 'Gift card redeemed',
    undone: 'The store took back an earlier change',
    brought: 'Brought along from before',
    opening: 'Your credit when this list began',
    unrecorded: 'Changes that were not written down one by one',
    alsoEnded: (money: string) => `${money} ended before it`,
    none: 'Nothing has happened with your credit yet.',
  },

  news: {
    label: (store: string) => `News from ${store}`,
    note: 'Messages that the store sends to its subscribers inworld.',
    on: 'You get the news now.',
    off: 'You get no more news.',
  },

  foot: {
    what: (store: string) =>
      `Store credit at ${store}. This page is for you alone; it never asks for a password or for L$.`,
    until: (time: string, minutes: string) => `It works until ${time}, for ${minutes} more.`,
    signOut: 'Sign out',
  },

  faults: {
    noAnswer: 'The store did not answer, so nobody knows yet whether it was done. Try again: it is done once.',
    openNoAnswer: 'The store did not answer. Your link is still good: try again.',
    reading: 'The store did not answer, so this may be out of date.',
    busy: (time: string) => `Too much is going on at once. Try again after ${time}.`,
    noMoreActs: (time: string) =>
      `This page has done all that one page may do, until it ends at ${time}. Touch the terminal for a new link to do more.`,
    tooSoon: 'It was sent to you less than a minute ago. Look in your inventory, or wait a minute.',
    notOwned: 'The store does not know that you bought this.',
    noCopy: 'The store can send this one only once. Ask its people.',
    noProduct: 'The store does not have this product any more.',
    cardGone: 'This card cannot be redeemed any more.',
    tooMuch: 'Your credit would be more than this store allows. Spend some first.',
    other: 'The store refused this. Ask its people about it.',
  },
};

export type Words = typeof en;
