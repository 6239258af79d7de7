import '../parts/first-view.ts';
import { useState } from 'preact/hooks';
import type { OpenPageResponse } from '../../client/client.ts';
import { hour } from '../format.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { useSession } from '../session.ts';
import { t } from './customer-own-page.texts.ts';
import type { DialogProps } from './customer-props.ts';

/** The page is beside the desk. Its code is in the fragment, which no browser sends. */
const linkOf = ({ code }: OpenPageResponse): string =>
  `${location.origin}${location.pathname.replace(/desk\/?$/, 'me')}#code=${code}`;

const Made = ({ page, onClose }: { page: OpenPageResponse; onClose: () => void }) => (
  <div class="form">
    <p>{t.until(hour(page.expiresAt))}</p>
    <pre>
      <code>{linkOf(page)}</code>
    </pre>
    <div class="buttons">
      <Copy text={linkOf(page)} label={t.copy} said={t.copied} />
      <a class="button" href={linkOf(page)} target="_blank" rel="noreferrer" onClick={onClose}>
        {t.look}
      </a>
      <button type="button" class="button is-main" onClick={onClose}>
        {t.done}
      </button>
    </div>
    <p class="help">{t.lookHelp}</p>
  </div>
);

/** Makes a link to the customer's own page, for a customer who wrote in or for a look at what they see. */
export const OwnPage = ({ customer, onClose }: DialogProps) => {
  const { client } = useSession();
  const [page, setPage] = useState<OpenPageResponse>();
  const make = async () => {
    const path = { identifier: customer.uuid };
    setPage(await client.post('/v1/customers/{identifier}/actions/open-page', { path }));
  };
  return (
    <Dialog title={t.title(customer.username)} onClose={onClose}>
      {page ? (
        <Made page={page} onClose={onClose} />
      ) : (
        <Form submit={t.submit} onSend={make} onCancel={onClose} isUnguarded>
          <p>{t.text}</p>
          <p class="effect">{t.warning}</p>
        </Form>
      )}
    </Dialog>
  );
};
