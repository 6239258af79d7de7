import type { OperationText } from '../operation-text.ts';

const seating = '00000007-dede-4ede-8ede-000000000001';

export const categoryTexts: Record<string, OperationText> = {
  'categories/list-categories': {
    description: 'All categories of the store.',
    parameters: { limit: 2 },
  },
  'categories/get-category': {
    description: 'One category with the number of its products.',
    parameters: { id: '00000007-dede-4ede-8ede-000000000002' },
  },
  'categories/create-category': {
    description: 'Makes an empty category.',
    request: { name: 'Garden' },
    refused: { name: ' ' },
  },
  'categories/update-category': {
    description: 'Renames a category. Its products stay in it.',
    parameters: { id: '00000007-dede-4ede-8ede-000000000003' },
    request: { name: 'Sale' },
    refused: {},
  },
  'categories/delete-category': {
    description: 'Deletes a category. Its products stay in the store.',
    parameters: { id: '00000007-dede-4ede-8ede-000000000005' },
  },
  'categories/add-product': {
    description: 'Adds a product to a category. Idempotent. 404 where either does not exist.',
    parameters: { id: seating, productId: '00000003-dede-4ede-8ede-000000000005' },
  },
  'categories/remove-product': {
    description:
      'Removes a product from a category; it stays in the store. Idempotent. 404 where either does not exist.',
    parameters: { id: seating, productId: '00000003-dede-4ede-8ede-000000000013' },
  },
};
