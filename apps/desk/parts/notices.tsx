import { texts } from '../texts.ts';

/** Leads to the licenses of the packages that the desk is made with. */
export const Notices = () => (
  <p class="help">
    <a href="desk/notices.txt">{texts.shell.notices}</a>
  </p>
);
