import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.**';

export const salesTexts: Record<string, OperationText> = {
  'sales/create-quote': {
    description:
      `${extension} The price of a sale now: the active price, less the largest percentage of coupon, customer, tier and group (of equal ` +
      'ones the first; the coupon applied for the product, else for the store), less store credit where `useCredit` asks for it. Credit that has ' +
      'come due never pays. A refusal is answered with 200, so that a script in the virtual world can read it. Nothing is written, and ' +
      'nothing is reserved: a quote fixes prices, not stock.',
    request: { productId: '00000003-dede-4ede-8ede-000000000003', buyerIdentifier: 'nova', useCredit: true },
    refused: { productId: '00000003-dede-4ede-8ede-000000000003', buyerIdentifier: 'nobody.resident' },
  },
  'sales/create-sale': {
    description:
      `${extension} Sells a product once the buyer has paid inworld. A request whose form is right is answered 201 with the sale, ` +
      '`completed` or `refused`, and the same for ever under its `id`: so a script repeats the request until it has the answer, and gives back ' +
      '`change`. Only after a 400 or 422 it gives back all that was paid. Price, stock, coupon use, credit, spend and ownership change in one ' +
      'transaction; the delivery follows. A quote fixes the prices; without one, or with one that is over, those of now count. A quote from ' +
      'before the product sold gift cards, or cards of another amount, is refused as `quote`.',
    request: {
      id: '00000008-dede-4ede-8ede-000000000002',
      productId: '00000003-dede-4ede-8ede-000000000013',
      buyerIdentifier: 'vera.vendor',
      paid: 300,
      useCredit: true,
      reference: 'Vendor 3',
    },
    refused: {
      id: 'sale 7',
      productId: '00000003-dede-4ede-8ede-000000000013',
      buyerIdentifier: 'vera.vendor',
      paid: 1,
    },
  },
  'sales/report-change': {
    description:
      `${extension} Notes the transfer by which the caller gave the \`change\` of a sale back; of a refused sale that is all that was paid. ` +
      'The first report counts, and any other is answered with the sale as it is. It moves nothing. An object whose memory comes back as it ' +
      'was some time before repeats its sale, reads that its change was paid, and pays nothing again.',
    parameters: { id: '00000008-dede-4ede-8ede-000000000001' },
    request: { transactionId: '00000009-dede-4ede-8ede-000000000001', amount: 500 },
    refused: { transactionId: 'receipt 7', amount: 1 },
  },
  'sales/refund-sale': {
    description:
      `${extension} Takes a completed sale back: its credit, as it was, with the same expiry; stock, where the product is limited now; ` +
      'coupon use, ownership and spend. A delivery that was not made is not made any more; one under way may still be given. The caller gives ' +
      '`refund` less `change` back inworld. A sale is refunded once: a repeat is answered with the first one’s `refundReference`, and only ' +
      'whose reference it is gives L$ back.',
    parameters: { id: '00000008-dede-4ede-8ede-000000000002' },
    request: { reason: 'Bought twice', reference: 'Ticket 12' },
    refused: { reason: 'x'.repeat(201) },
  },
  'sales/list-sales': {
    description:
      `${extension} Sales, newest first, refused ones too. Filters combine with AND. A sale at \`to\` itself is not in the ` +
      'list. The cursor belongs to the buyer or the product that the list was asked for.',
    parameters: { buyer: 'nova', state: 'refused', limit: 2 },
  },
  'sales/get-sale': {
    description: `${extension} One sale as it is now.`,
    parameters: { id: '00000008-dede-4ede-8ede-000000000001' },
  },
};
