/**
 * Everything that the first view loads. Every page imports it with its heading, and so do parts that are loaded later,
 * so the bundler makes few files of it, instead of one for each set of pages that share something.
 */
import '../address.ts';
import '../api.ts';
import '../developer.ts';
import '../format.ts';
import '../session.ts';
import '../sums.ts';
import './copy.tsx';
import './dialog.tsx';
import './form.tsx';
import './icon.tsx';
import './later.tsx';
import './list.tsx';
import './names.tsx';
import './toast.tsx';
