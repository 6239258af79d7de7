import type { Words } from './en.ts';

/** All words of the customer's page, in German. */
export const de: Words = {
  title: 'Guthaben im Laden',
  language: 'Deutsch',
  chooseLanguage: 'Sprache',

  door: {
    title: 'Dein Guthaben',
    what: 'Diese Seite zeigt, was ein Laden in der virtuellen Welt für dich hat: dein Guthaben, deine Einkäufe und deine Geschenkkarten.',
    promise: 'Sie ist nur für dich und fragt nie nach einem Passwort oder nach L$.',
    once: 'Dein Link öffnet die Seite einmal, für eine Stunde.',
    open: 'Öffnen',
    label: 'Dein Link oder Code',
    hint: 'Berühre das Terminal im Laden und wähle „My page“. Füge den Link hier ein, oder nur den Code daraus.',
    noCode: 'Das ist kein vollständiger Link von einem Terminal. Kopiere ihn von Anfang bis Ende.',
    another: 'Hast du einen neuen Link?',
    used: {
      title: 'Dieser Link wurde schon benutzt',
      text: 'Jeder Link öffnet eine Seite, und das nur einmal. Berühre das Terminal noch einmal für einen neuen Link. Wenn nicht du ihn geöffnet hast, sag dem Laden Bescheid.',
    },
    over: {
      title: 'Dieser Link gilt nicht mehr',
      text: 'Ein Link vom Terminal gilt zehn Minuten. Berühre das Terminal noch einmal für einen neuen.',
    },
    ended: {
      title: 'Diese Seite ist beendet',
      text: 'Berühre das Terminal noch einmal für einen neuen Link.',
    },
    left: {
      title: 'Du bist abgemeldet',
      text: 'Diese Seite zeigt nichts mehr von dir. Wenn du wieder nachsehen willst, berühre das Terminal für einen neuen Link.',
    },
    leftUnsure: (time: string) =>
      `Diese Seite zeigt nichts mehr von dir. Der Laden hat nicht geantwortet, darum endet die Seite selbst erst um ${time}.`,
    lost: {
      title: 'Der Laden antwortet nicht',
      text: 'Deine Seite ist noch da. Prüfe deine Verbindung und versuche es dann noch einmal.',
    },
    tooOften: {
      title: 'Diese Seite wurde zu oft abgerufen',
      text: (time: string) =>
        `Bis ${time} zeigt sie nichts mehr. Wenn du vorher nachsehen willst, berühre das Terminal für einen neuen Link.`,
    },
  },

  again: 'Noch einmal versuchen',
  more: 'Mehr anzeigen',
  moreOf: (what: string) => `Mehr anzeigen: ${what}`,
  busy: 'Einen Moment …',
  close: 'Schließen',
  cancel: 'Abbrechen',

  credit: {
    yours: (name: string) => `Dein Guthaben, ${name}`,
    restricted: (money: string) => `und ${money} nur für eigene Einkäufe`,
    ends: (money: string, count: number, date: string) =>
      `${money} ${count === 1 ? 'verfällt' : 'verfallen'} am ${date}`,
    endsToday: (money: string, count: number, time: string) =>
      `${money} ${count === 1 ? 'verfällt' : 'verfallen'} heute um ${time}`,
    endsWhen: (when: string) => `, ${when}.`,
    first: 'Was zuerst verfällt, wird zuerst ausgegeben.',
    closed: 'Der Laden ist gerade geschlossen. Dein Guthaben bleibt, und hier funktioniert alles.',
  },

  lots: {
    title: 'Wie lange es gilt',
    until: (date: string) => `bis ${date}`,
    never: 'verfällt nicht',
    restricted: 'nur für eigene Einkäufe',
    none: 'Du hast hier noch kein Guthaben. Wenn der Laden dir welches gibt, siehst du hier, wie lange es gilt.',
  },

  products: {
    title: 'Deine Einkäufe',
    delivered: 'geliefert',
    notDelivered: 'nicht geliefert',
    onItsWay: 'unterwegs zu dir',
    times: (count: string) => `${count}-mal`,
    gone: 'Ein Produkt, das es nicht mehr gibt',
    noCopy: 'Das kann der Laden nur einmal senden.',
    send: 'Neu senden',
    sendOf: (name: string) => `Neu senden: ${name}`,
    sent: (name: string) => `${name} ist unterwegs zu dir.`,
    none: 'Du hast hier noch nichts gekauft.',
  },

  cards: {
    title: 'Geschenkkarten und Rabatte',
    card: (money: string) => `Geschenkkarte über ${money}`,
    becomes: 'wird zu Guthaben, das nicht verfällt',
    redeem: 'Einlösen',
    redeemOf: (money: string) => `Einlösen: ${money}`,
    redeemAll: 'Alle einlösen',
    ask: (money: string) => `Karte über ${money} einlösen?`,
    askAll: 'Alle deine Karten einlösen?',
    effect: (money: string, store: string) => `${money} werden dein Guthaben bei ${store}. Sie verfallen nicht.`,
    effectAll: (store: string) => `Ihr Wert wird dein Guthaben bei ${store}. Es verfällt nicht.`,
    forGood: 'Die Karte ist danach verbraucht. Niemand kann das rückgängig machen.',
    forGoodAll: 'Die Karten sind danach verbraucht. Niemand kann das rückgängig machen.',
    transfer: 'Bis dahin kannst du sie noch verschenken.',
    redeemed: (money: string) => `${money} sind jetzt dein Guthaben.`,
    nothing: 'Es war keine Karte mehr da, die man einlösen kann.',
    offAll: (percent: string) => `${percent} Rabatt auf alles`,
    ownNote: 'dein eigener Rabatt',
    coupon: (percent: string, product: string) => `${percent} Rabatt auf ${product}`,
    couponNote: (code: string, date: string) => `Gutschein ${code}, bis ${date}`,
    none: 'Du hast hier keine Geschenkkarte und keinen Rabatt.',
  },

  history: {
    title: 'Verlauf',
    bought: (product: string) => `Gekauft: ${product}`,
    refund: (product: string) => `Erstattung für ${product}`,
    bonus: (product: string) => `Bonus für ${product}`,
    bonusBack: (product: string) => `Bonus zurückgenommen für ${product}`,
    gone: 'ein Produkt, das es nicht mehr gibt',
    set: 'Vom Laden neu gesetzt',
    given: 'Guthaben vom Laden',
    taken: 'Vom Laden abgezogen',
    expired: 'Guthaben verfallen',
    redeemed: 'Geschenkkarte eingelöst',
    undone: 'Der Laden hat eine Änderung zurückgenommen',
    brought: 'Von früher übernommen',
    opening: 'Dein Guthaben, als diese Liste begann',
    unrecorded: 'Änderungen, die nicht einzeln aufgeschrieben wurden',
    alsoEnded: (money: string) => `${money} waren davor verfallen`,
    none: 'Mit deinem Guthaben ist noch nichts geschehen.',
  },

  news: {
    label: (store: string) => `Neuigkeiten von ${store}`,
    note: 'Nachrichten, die der Laden seinen Abonnenten in der virtuellen Welt schickt.',
    on: 'Du bekommst jetzt die Neuigkeiten.',
    off: 'Du bekommst keine Neuigkeiten mehr.',
  },

  foot: {
    what: (store: string) =>
      `Guthaben bei ${store}. Diese Seite ist nur für dich; sie fragt nie nach einem Passwort oder nach L$.`,
    until: (time: string, minutes: string) => `Sie gilt bis ${time}, noch ${minutes}.`,
    signOut: 'Abmelden',
  },

  faults: {
    noAnswer:
      'Der Laden hat nicht geantwortet, darum weiß noch niemand, ob es geklappt hat. Versuche es noch einmal: Es geschieht nur einmal.',
    openNoAnswer: 'Der Laden hat nicht geantwortet. Dein Link gilt noch: Versuche es noch einmal.',
    reading: 'Der Laden hat nicht geantwortet, darum ist dies vielleicht nicht mehr aktuell.',
    busy: (time: string) => `Gerade ist zu viel los. Versuche es nach ${time} noch einmal.`,
    noMoreActs: (time: string) =>
      `Diese Seite hat alles getan, was eine Seite tun darf, bis sie um ${time} endet. Für mehr berühre das Terminal noch einmal.`,
    tooSoon: 'Das wurde dir vor weniger als einer Minute gesendet. Sieh in dein Inventar oder warte eine Minute.',
    notOwned: 'Der Laden weiß nicht, dass du das gekauft hast.',
    noCopy: 'Das kann der Laden nur einmal senden. Frag dort nach.',
    noProduct: 'Dieses Produkt hat der Laden nicht mehr.',
    cardGone: 'Diese Karte kann nicht mehr eingelöst werden.',
    tooMuch: 'Dein Guthaben wäre höher, als dieser Laden erlaubt. Gib zuerst etwas davon aus.',
    other: 'Der Laden hat das abgelehnt. Frag dort nach.',
  },
};
