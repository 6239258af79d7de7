import * as z from 'zod';
import { route } from './route.ts';
import { idPath, listOf, noPath, noQuery, pageQuery, text, uuid } from './wire.ts';

const CategoryResponse = z.object({
  id: uuid(),
  name: z.string(),
  productCount: z.int(),
});

const name = text({ min: 1, max: 255 });
const CreateCategoryRequest = z.object({ name });
const UpdateCategoryRequest = z.object({ name });

const memberPath = z.object({ id: uuid(), productId: uuid() });

export const listCategories = route({
  id: 'categories/list-categories',
  summary: 'List categories',
  method: 'GET',
  path: '/v1/categories',
  scope: 'categories:read',
  status: 200,
  problems: [400],
  params: noPath,
  query: z.object(pageQuery),
  response: listOf(CategoryResponse),
  reads: ['CATEGORY'],
  writes: [],
});

export const getCategory = route({
  id: 'categories/get-category',
  summary: 'Read a category',
  method: 'GET',
  path: '/v1/categories/{id}',
  scope: 'categories:read',
  status: 200,
  problems: [404],
  params: idPath,
  query: noQuery,
  response: CategoryResponse,
  reads: ['CATEGORY'],
  writes: [],
});

export const createCategory = route({
  id: 'categories/create-category',
  summary: 'Create a category',
  method: 'POST',
  path: '/v1/categories',
  scope: 'categories:write',
  status: 201,
  problems: [400, 404],
  params: noPath,
  query: noQuery,
  body: CreateCategoryRequest,
  response: CategoryResponse,
  reads: [],
  writes: ['CATEGORY'],
});

export const updateCategory = route({
  id: 'categories/update-category',
  summary: 'Rename a category',
  method: 'PUT',
  path: '/v1/categories/{id}',
  scope: 'categories:write',
  status: 200,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  body: UpdateCategoryRequest,
  response: CategoryResponse,
  reads: [],
  writes: ['CATEGORY'],
});

export const deleteCategory = route({
  id: 'categories/delete-category',
  summary: 'Delete a category',
  method: 'DELETE',
  path: '/v1/categories/{id}',
  scope: 'categories:write',
  status: 204,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  reads: ['MEMBER'],
  writes: ['CATEGORY', 'MEMBER'],
});

export const addProduct = route({
  id: 'categories/add-product',
  summary: 'Add a product to a category',
  method: 'POST',
  path: '/v1/categories/{id}/products/{productId}',
  scope: 'categories:write',
  status: 204,
  problems: [400, 404],
  params: memberPath,
  query: noQuery,
  reads: ['PRODUCT'],
  writes: ['CATEGORY', 'MEMBER'],
});

export const removeProduct = route({
  id: 'categories/remove-product',
  summary: 'Remove a product from a category',
  method: 'DELETE',
  path: '/v1/categories/{id}/products/{productId}',
  scope: 'categories:write',
  status: 204,
  problems: [400, 404],
  params: memberPath,
  query: noQuery,
  reads: ['PRODUCT'],
  writes: ['CATEGORY', 'MEMBER'],
});
