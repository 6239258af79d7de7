import type * as z from 'zod';
import * as categories from '../lib/routes/categories.ts';
import * as coupons from '../lib/routes/coupons.ts';
import * as credit from '../lib/routes/credit.ts';
import * as customers from '../lib/routes/customers.ts';
import * as dispenser from '../lib/routes/dispenser.ts';
import * as giftCards from '../lib/routes/gift-cards.ts';
import * as products from '../lib/routes/products.ts';

/** The names, in the contract's words, that schemas have in the document. A schema is known by its identity. */

const product = products.createProduct.body.in.shape;

export const requestSchemas: Record<string, z.ZodType> = {
  CreateCouponRequest: coupons.createCoupon.body,
  UpdateCouponRequest: coupons.updateCoupon.body,
  ApplyCouponRequest: coupons.applyCoupon.body,
  RevokeCouponRequest: coupons.revokeCoupon.body,
  UpdateCustomerRequest: customers.updateCustomer.body,
  SetCustomerCreditRequest: credit.setCredit.body,
  IncrementCustomerCreditRequest: credit.incrementCredit.body,
  BanCustomerRequest: customers.banCustomer.body,
  GrantGiftCardRequest: giftCards.grantGiftCard.body,
  UpdateGiftCardRequest: giftCards.updateGiftCard.body,
  ProductUpsertRequest: products.createProduct.body,
  ProductPermissionsRequest: product.permissions.unwrap(),
  ProductDiscountRequest: product.discount.unwrap(),
  ProfitShareRequest: product.profitShares.unwrap().element,
  DeliverProductRequest: products.deliverProduct.body,
  CreateCategoryRequest: categories.createCategory.body,
  UpdateCategoryRequest: categories.updateCategory.body,
  PutDispenserRequest: dispenser.putDispenser.body,
};

export const responseSchemas: Record<string, z.ZodType> = {
  CouponResponse: coupons.getCoupon.response,
  CouponListResponse: coupons.listCoupons.response,
  AppliedCouponResponse: coupons.applyCoupon.response,
  RevokedCouponResponse: coupons.revokeCoupon.response,
  CustomerResponse: customers.getCustomer.response,
  CustomerListResponse: customers.listCustomers.response,
  CustomerCreditResponse: credit.getCredit.response,
  CustomerSpendResponse: customers.getSpend.response,
  CustomerBanStateResponse: customers.banCustomer.response,
  GiftCardResponse: giftCards.getGiftCard.response,
  GiftCardListResponse: giftCards.listGiftCards.response,
  ProductResponse: products.getProduct.response,
  ProductListResponse: products.listProducts.response,
  ProductPermissions: products.getProduct.response.shape.permissions,
  ProductDiscount: products.getProduct.response.shape.discount,
  ProfitShare: products.getProduct.response.shape.profitShares.element,
  ProductDeliveryResponse: products.deliverProduct.response,
  CategoryResponse: categories.getCategory.response,
  CategoryListResponse: categories.listCategories.response,
  DispenserResponse: dispenser.putDispenser.response,
  Pagination: products.listProducts.response.shape.pagination,
};
