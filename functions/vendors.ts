import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/vendors.ts';
import { handler as deleteVendor } from './vendors/delete-vendor.ts';
import { handler as getVendor } from './vendors/get-vendor.ts';
import { handler as listVendors } from './vendors/list-vendors.ts';
import { handler as registerVendor } from './vendors/register-vendor.ts';
import { handler as setVendorProduct } from './vendors/set-vendor-product.ts';

export const handler = serveTogether(
  [rows.registerVendor, registerVendor],
  [rows.listVendors, listVendors],
  [rows.getVendor, getVendor],
  [rows.setVendorProduct, setVendorProduct],
  [rows.deleteVendor, deleteVendor],
);
