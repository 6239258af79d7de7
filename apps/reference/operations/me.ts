import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.** ';

const reads =
  'A page has 300 reads: then 429, with `Retry-After` until it ends. A page that has ended or was erased gets 401 at once.';

const acts =
  'A page has 20 acts: then 429, with `Retry-After` until it ends. A refused act is one too, but neither a fault of form nor a repeat ' +
  'under an Idempotency-Key.';

export const meTexts: Record<string, OperationText> = {
  'customers/open-page': {
    description:
      `${extension}Makes a code for the page on which a customer sees what the store holds for them. Give it to that avatar alone: ` +
      'whoever uses it first sees the page. It begins one page, within 10 minutes. Earlier codes stay as they are, and nobody becomes a ' +
      'customer by it. The code is in this answer alone, and in its repeats under the same Idempotency-Key.',
    parameters: { identifier: 'vera.vendor' },
  },
  'me-acts/begin-page': {
    description:
      `${extension}Begins the page of a code, which is sent as \`X-API-Key\`. It works once: any later request is 400 until the code's 10 ` +
      'minutes are over, then 401; the same Idempotency-Key gets the first answer again. The token lives for 60 minutes.',
  },
  'me/get-me': {
    description: `${extension}Balances, discount, news and applied coupons of the avatar whose page it is. An avatar that the store never touched has zeros and empty lists. ${reads}`,
  },
  'me/list-own-lots': {
    description: `${extension}The open lots that are not due yet, in the order in which they are drained. ${reads}`,
  },
  'me/list-own-history': {
    description: `${extension}Every change of the own credit, the newest first, with the product of its sale. ${reads}`,
    parameters: { type: 'regular', limit: 2 },
  },
  'me/list-own-products': {
    description: `${extension}What the avatar owns, in the order of the products' ids. ${reads}`,
    parameters: { limit: 2 },
  },
  'me/list-own-cards': {
    description: `${extension}The own gift cards that can be redeemed. None is named by its id, which may be worth its money. ${reads}`,
  },
  'me-acts/update-me': {
    description: `${extension}Subscribes the avatar to the news kiosk, or ends that. They become a customer by it. ${acts}`,
    request: { newsSubscriber: true },
    refused: { newsSubscriber: 'yes' },
  },
  'me-acts/redeliver-own': {
    description:
      `${extension}Sends a product again to the avatar who owns it, and may have copies. 400 within 60 seconds of a completed sale of it to ` +
      `them, and of another redelivery. ${acts}`,
    parameters: { productId: '00000003-dede-4ede-8ede-000000000002' },
  },
  'me-acts/redeem-own': {
    description:
      `${extension}Moves the credit of an own card to the own permanent regular credit, or that of up to 20 cards without \`card\`. All or ` +
      `nothing: 400 where the balance would pass the credit limit, and for a card that cannot be redeemed any more. ${acts}`,
    request: {},
    refused: { card: 'a card of somebody else' },
  },
  'me-acts/end-page': { description: `${extension}Ends the page at once. Its token is 401 from then on.` },
};
