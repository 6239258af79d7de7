import type { OperationText } from '../operation-texts.ts';

const extension = '**An extension of this service, beyond the contract.**';

export const salesTexts: Record<string, OperationText> = {
  'sales/create-quote': {
    description:
      `${extension} The price of a sale now: the active price, less the larger of the customer’s discount and that of the coupon applied ` +
      'for the product (else to the whole store; a tie goes to the coupon), less store credit where `useCredit` asks for it. Credit that has ' +
      'come due never pays. A refusal is answered with 200, so that a script in the virtual world can read it. Nothing is written, and ' +
      'nothing is reserved: a quote fixes prices, not stock.',
    request: { productId: '00000003-dede-4ede-8ede-000000000003', buyerIdentifier: 'nova', useCredit: true },
    refused: { productId: '00000003-dede-4ede-8ede-000000000003', buyerIdentifier: 'nobody.resident' },
  },
};
