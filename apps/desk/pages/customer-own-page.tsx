import { useState } from 'preact/hooks';
import type { OpenPageResponse } from '../../client/client.ts';
import { hour } from '../format.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { useSession } from '../session.ts';
import { t } from './customer.texts.ts';
import type { CustomerProps } from './customer-props.ts';

/** The page is beside the desk. Its code is in the fragment, which no browser sends. */
const linkOf = ({ code }: OpenPageResponse): string =>
  `${location.origin}${location.pathname.replace(/desk\/?$/, 'me')}#code=${code}`;

const Made = ({ page, onClose }: { page: OpenPageResponse; onClose: () => void }) => (
  <div class="form">
    <p>{t.page.until(hour(page.expiresAt))}</p>
    <pre>
      <code>{linkOf(page)}</code>
    </pre>
    <div class="buttons">
      <Copy text={linkOf(page)} label={t.page.copy} said={t.page.copied} />
      <a class="button" href={linkOf(page)} target="_blank" rel="noreferrer" onClick={onClose}>
        {t.page.look}
      </a>
      <button type="button" class="button is-main" onClick={onClose}>
        {t.page.done}
      </button>
    </div>
    <p class="help">{t.page.lookHelp}</p>
  </div>
);

/** Makes a link to the customer's own page, for a customer who wrote in or for a look at what they see. */
export const OwnPage = ({ customer, onClose }: CustomerProps & { onClose: () => void }) => {
  const { client } = useSession();
  const [page, setPage] = useState<OpenPageResponse>();
  const make = async () => {
    const path = { identifier: customer.uuid };
    setPage(await client.post('/v1/customers/{identifier}/actions/open-page', { path }));
  };
  return (
    <Dialog title={t.page.title(customer.username)} onClose={onClose}>
      {page ? (
        <Made page={page} onClose={onClose} />
      ) : (
        <Form submit={t.page.submit} onSend={make} onCancel={onClose} isUnguarded>
          <p>{t.page.text}</p>
          <p class="effect">{t.page.warning}</p>
        </Form>
      )}
    </Dialog>
  );
};
