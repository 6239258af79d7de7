import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.**';

export const storeTexts: Record<string, OperationText> = {
  'store/get-store': {
    description:
      `${extension} A program learns with it that its key works, what the key may do, and whether the store sells. Scripts in the ` +
      'virtual world, which are not told why the gateway refuses a key, can find out with it.',
  },
  'own-key/end-key': {
    description:
      `${extension} The key of this request is revoked, for ever: a program that was given a key for a while hands it back so. It ` +
      'cannot end another key. For up to 60 seconds, as long as the gateway remembers the key, this answers 204 again, and other ' +
      'endpoints may still take it; after that it is 401. The operator sees it in `store log`.',
  },
  'store/get-days': {
    description:
      `${extension} What a store did on each day of UTC, and what its customers held at its end. A change counts within about a second, ` +
      'on the day on which it was made; a delivery counts at each of its ends. Days on which nothing happened are left out. 400 for more ' +
      'than 366 days, and for a first day after the last.',
    parameters: { from: '2026-11-19', to: '2026-11-21' },
  },
  'store/close-store': {
    description:
      `${extension} While a store is closed, quotes and sales are refused as \`closed\`; nothing else changes. A store that is ` +
      'closed already stays as it is, with its first reason. The operator sees the reason in `store list`.',
    request: { reason: 'New prices from Monday on' },
    refused: { reason: 'Two\nlines' },
  },
  'store/open-store': {
    description: `${extension} Ends a close. A store that is open already stays as it is.`,
    request: { reason: 'The new prices are in' },
  },
};
