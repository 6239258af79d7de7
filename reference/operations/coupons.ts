import type { OperationText } from '../operation-texts.ts';

const choosing =
  'Name the coupon by exactly one of `code`, `couponOwnerUuid` and `couponId`. `productId` goes with `scope` 1 and only with it.';

export const couponTexts: Record<string, OperationText> = {
  'coupons/list-owner-coupons': {
    description: 'Coupons whose commission goes to this avatar, active or not. 404 where there is no such resident.',
    parameters: { identifier: 'partner.builder', limit: 1 },
    response: {
      data: [
        {
          id: '00000004-dede-4ede-8ede-000000000003',
          code: 'Partner-old',
          active: true,
          bloggersSync: false,
          couponOwnerUuid: '00000002-dede-4ede-8ede-000000000003',
          couponOwnerUsername: 'partner.builder',
          discount: 15,
          ownerProfit: 5,
          usesPerCustomer: 0,
          expiration: '9999-12-31T23:59:59.999Z',
        },
      ],
      pagination: {
        nextCursor:
          '4dbzuM7UBWKbVr-qlP0XIqGzZiX978jeXfOXkN_NxUTy1pMmfodJH3gY8PHdgxGCBMzTUqC1revB6-AD7Tfig90y2NqkRYAoJXLdkvOIaIKG2MibDptXrxKXIYL8GSajjyi0FP-6BQKkXJXvgf2PbSm3l_hvXlHJf3oiJ8DiyCQT7zAipI4z2g',
        previousCursor: null,
        limit: 1,
      },
    },
  },
  'coupons/list-coupons': {
    description: 'All coupons of the store, expired ones included.',
    parameters: { limit: 1, active: true },
    response: {
      data: [
        {
          id: '00000004-dede-4ede-8ede-000000000001',
          code: 'WELCOME10',
          active: true,
          bloggersSync: false,
          couponOwnerUuid: '00000002-dede-4ede-8ede-000000000001',
          couponOwnerUsername: 'vera.vendor',
          discount: 10,
          ownerProfit: 0,
          usesPerCustomer: 0,
          expiration: '9999-12-31T23:59:59.999Z',
        },
      ],
      pagination: {
        nextCursor:
          'fsa9FryI3AgEA3BXueCcR16F8zCX_TP3ka223p2lZFxzUxaGbTKCBCRhAP68IUFv1_k2hZszpA5gI1Dx6KIJ2r3CI6BmTHlVghO3',
        previousCursor: null,
        limit: 1,
      },
    },
  },
  'coupons/get-coupon': {
    description: 'One coupon, active or not.',
    parameters: { id: '00000004-dede-4ede-8ede-000000000001' },
    response: {
      id: '00000004-dede-4ede-8ede-000000000001',
      code: 'WELCOME10',
      active: true,
      bloggersSync: false,
      couponOwnerUuid: '00000002-dede-4ede-8ede-000000000001',
      couponOwnerUsername: 'vera.vendor',
      discount: 10,
      ownerProfit: 0,
      usesPerCustomer: 0,
      expiration: '9999-12-31T23:59:59.999Z',
    },
  },
  'coupons/create-coupon': {
    description:
      'Makes a coupon that does not expire and has no limit of uses. 400 for a code that another coupon of the store has, in ' +
      'any case, and for an owner who cannot be found.',
    request: { code: 'SPRING25', ownerIdentifier: 'ada.lovelace', discount: 25, ownerProfit: 5 },
    response: {
      id: '01a1fe7f-ead6-7e16-8b61-faf9ef7b8118',
      code: 'SPRING25',
      active: true,
      bloggersSync: false,
      couponOwnerUuid: '00000001-dede-4ede-8ede-000000000001',
      couponOwnerUsername: 'ada.lovelace',
      discount: 25,
      ownerProfit: 5,
      usesPerCustomer: 0,
      expiration: '9999-12-31T23:59:59.999Z',
    },
    refused: {
      request: { code: 'welcome10', ownerIdentifier: 'ada.lovelace' },
      errors: ['code must be unique in the store, whatever its case: another coupon has it.'],
    },
  },
  'coupons/update-coupon': {
    description:
      '**Replaces** the fields of a coupon: what you leave out takes its default, not its earlier value. The owner stays.',
    parameters: { id: '00000004-dede-4ede-8ede-000000000003' },
    request: { code: 'Partner-old', discount: 15, ownerProfit: 7.5, active: false },
    response: {
      id: '00000004-dede-4ede-8ede-000000000003',
      code: 'Partner-old',
      active: false,
      bloggersSync: false,
      couponOwnerUuid: '00000002-dede-4ede-8ede-000000000003',
      couponOwnerUsername: 'partner.builder',
      discount: 15,
      ownerProfit: 7.5,
      usesPerCustomer: 0,
      expiration: '9999-12-31T23:59:59.999Z',
    },
    refused: {
      request: { discount: 150 },
      errors: [
        'code is required: it must be text of 1 to 64 characters without control characters.',
        'discount must be a number from 0 to 100.',
      ],
    },
  },
  'coupons/apply-coupon': {
    description:
      `Lets a customer have the discount of a coupon for some hours, in the whole store or on one product. ${choosing} A new ` +
      'application takes the place of an earlier one of the same customer and scope. 400 for an unknown customer or owner and ' +
      'for a coupon that is inactive or expired; 404 for an unknown coupon or product.',
    parameters: { identifier: 'ada.lovelace' },
    request: { code: 'partner20', scope: 1, productId: '00000003-dede-4ede-8ede-000000000003', expiresInHours: 48 },
    response: {
      couponId: '00000004-dede-4ede-8ede-000000000002',
      code: 'Partner20',
      discount: 20,
      scope: 'product',
      productId: '00000003-dede-4ede-8ede-000000000003',
      customerUuid: '00000001-dede-4ede-8ede-000000000001',
      customerUsername: 'ada.lovelace',
      expiresAt: '2026-11-23T12:00:00.000Z',
      replaced: false,
    },
    refused: { request: { code: 'Partner-paused', scope: 0 }, errors: ['The coupon is not active.'] },
  },
  'coupons/revoke-coupon': {
    description:
      `Ends the application of a coupon. ${choosing} By \`couponOwnerUuid\`, of any coupon of that owner. Idempotent: where ` +
      'nothing is applied, `revoked` is false. 400 for an unknown customer or owner, 404 for an unknown coupon.',
    parameters: { identifier: 'nova' },
    request: { couponId: '00000004-dede-4ede-8ede-000000000001', scope: 0 },
    response: { revoked: true },
    refused: {
      request: { code: 'WELCOME10', couponId: '00000004-dede-4ede-8ede-000000000001', scope: 1 },
      errors: [
        'Send exactly one of code, couponOwnerUuid and couponId: this request has code and couponId.',
        'productId is required when scope is 1: it must be a UUID.',
      ],
    },
  },
};
