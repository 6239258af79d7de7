import { type FieldTexts, list, uuidOf } from './common.ts';

const categoryName = 'Name of the category. Need not be unique. Surrounding blanks are trimmed.';

export const categoryFields: FieldTexts = {
  CategoryResponse: {
    id: uuidOf('the category'),
    name: 'Name of the category.',
    productCount: 'Number of products in the category, inactive ones included.',
  },
  CategoryListResponse: list('Categories'),
  CreateCategoryRequest: { name: categoryName },
  UpdateCategoryRequest: { name: categoryName },
};
