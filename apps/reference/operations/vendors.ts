import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.** ';
const bench = '00000013-dede-4ede-8ede-000000000001';
const gone = '00000013-dede-4ede-8ede-000000000002';

export const vendorTexts: Record<string, OperationText> = {
  'vendors/register-vendor': {
    description:
      `${extension}An object that sells says that it is there, where, and at which address it can be told of changes. It does so when it ` +
      'starts, has a new address or its owner touches it, at `changesAt`, and once a day; without an address every half hour. What is ' +
      'left out is replaced by nothing. `productId` counts at the first registration, and with `picked` while the vendor sells nothing; ' +
      'so a stolen key changes what no vendor sells.',
    parameters: { uuid: bench },
    request: {
      name: 'Bench vendor',
      region: 'Cloud Edge',
      position: '<128, 64, 22>',
      script: 'vendor.lsl 0.1.0',
      url: 'http://127.0.0.1:8080/cap/5f3c1b7e-0d5a-4c8e-9a51-6b1f0e2d7c43',
      search: 'bench',
    },
    refused: { name: '', region: 'Cloud Edge' },
  },
  'vendors/list-vendors': {
    description: `${extension}Vendors, by UUID. Filters combine with AND.`,
    parameters: { state: 'active', limit: 1 },
  },
  'vendors/get-vendor': { description: `${extension}One vendor, and what it sells now.`, parameters: { uuid: bench } },
  'vendors/set-vendor-product': {
    description:
      `${extension}Sets what a vendor sells; null: nothing. A vendor that has an address is told so, and registers again. 400 for an ` +
      'unknown product.',
    parameters: { uuid: bench },
    request: { productId: '00000003-dede-4ede-8ede-000000000001' },
    refused: { productId: 'Bench' },
  },
  'vendors/delete-vendor': {
    description: `${extension}Forgets a vendor, such as one that is gone. It is known again, as a new one, when it registers.`,
    parameters: { uuid: gone },
  },
};
