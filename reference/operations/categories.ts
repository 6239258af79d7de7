import type { OperationText } from '../operation-texts.ts';

const seating = '00000007-dede-4ede-8ede-000000000001';

export const categoryTexts: Record<string, OperationText> = {
  'categories/list-categories': {
    description: 'All categories of the store.',
    parameters: { limit: 2 },
    response: {
      data: [
        {
          id: '00000007-dede-4ede-8ede-000000000001',
          name: 'Seating',
          productCount: 43,
        },
        {
          id: '00000007-dede-4ede-8ede-000000000002',
          name: 'Light',
          productCount: 41,
        },
      ],
      pagination: {
        nextCursor:
          'H1i8BkGukSD631qSurtj4SxgH4eFURqIUFt39zIND3lTHtyJcW4ZN5wePRF30-VhRDjP9EDehh8IYoiO08KhqzIlIE4RpceBx0eQ',
        previousCursor: null,
        limit: 2,
      },
    },
  },
  'categories/get-category': {
    description: 'One category with the number of its products.',
    parameters: { id: '00000007-dede-4ede-8ede-000000000002' },
    response: { id: '00000007-dede-4ede-8ede-000000000002', name: 'Light', productCount: 41 },
  },
  'categories/create-category': {
    description: 'Makes an empty category.',
    request: { name: 'Garden' },
    response: { id: '01a1fe7f-ebf7-7f71-921c-c9a276b77830', name: 'Garden', productCount: 0 },
    refused: {
      request: { name: ' ' },
      errors: ['name must be text of 1 to 255 characters without control characters.'],
    },
  },
  'categories/update-category': {
    description: 'Renames a category. Its products stay in it.',
    parameters: { id: '00000007-dede-4ede-8ede-000000000003' },
    request: { name: 'Sale' },
    response: { id: '00000007-dede-4ede-8ede-000000000003', name: 'Sale', productCount: 3 },
    refused: {
      request: {},
      errors: ['name is required: it must be text of 1 to 255 characters without control characters.'],
    },
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
