import * as z from 'zod';
import { route } from './route.ts';
import { answerText, listOf, maxLength, pageQuery, text, uuid } from './wire.ts';

export const CategoryResponse = z
  .object({
    id: uuid().describe('UUID of the category, in lower case.'),
    name: answerText(maxLength.name).describe('Name of the category.'),
    productCount: z.int().describe('Number of products in the category, inactive ones included.'),
  })
  .meta({ id: 'CategoryResponse' });

const NamedRequest = z.object({
  name: text({ min: 1, max: maxLength.name }).describe(
    'Name of the category: at most 255 characters. Need not be unique. Surrounding blanks are trimmed.',
  ),
});

export type Category = z.output<typeof CategoryResponse>;

export const listCategories = route('GET /v1/categories', {
  id: 'categories/list-categories',
  summary: 'List categories',
  scope: 'categories:read',
  query: z.object(pageQuery),
  response: listOf('CategoryListResponse', 'Categories', CategoryResponse),
  reads: ['CATEGORY'],
});

export const getCategory = route('GET /v1/categories/{id}', {
  id: 'categories/get-category',
  summary: 'Read a category',
  scope: 'categories:read',
  response: CategoryResponse,
  tagged: CategoryResponse,
  reads: ['CATEGORY'],
});

export const createCategory = route('POST /v1/categories', {
  id: 'categories/create-category',
  summary: 'Create a category',
  scope: 'categories:write',
  status: 201,
  body: NamedRequest.meta({ id: 'CreateCategoryRequest' }),
  response: CategoryResponse,
  tagged: CategoryResponse,
  writes: ['CATEGORY'],
});

export const updateCategory = route('PUT /v1/categories/{id}', {
  id: 'categories/update-category',
  summary: 'Rename a category',
  scope: 'categories:write',
  body: NamedRequest.meta({ id: 'UpdateCategoryRequest' }),
  response: CategoryResponse,
  tagged: CategoryResponse,
  writes: ['CATEGORY'],
});

export const deleteCategory = route('DELETE /v1/categories/{id}', {
  id: 'categories/delete-category',
  summary: 'Delete a category',
  scope: 'categories:write',
  tagged: CategoryResponse,
  reads: ['MEMBER'],
  writes: ['CATEGORY', 'MEMBER'],
  makes: ['REMOVED'],
});

export const addProduct = route('POST /v1/categories/{id}/products/{productId}', {
  id: 'categories/add-product',
  summary: 'Add a product to a category',
  scope: 'categories:write',
  writes: ['CATEGORY', 'MEMBER', 'PRODUCT'],
});

export const removeProduct = route('DELETE /v1/categories/{id}/products/{productId}', {
  id: 'categories/remove-product',
  summary: 'Remove a product from a category',
  scope: 'categories:write',
  reads: ['PRODUCT'],
  writes: ['CATEGORY', 'MEMBER'],
});
