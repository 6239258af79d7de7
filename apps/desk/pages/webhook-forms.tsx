import type { CreateWebhookRequest, WebhookResponse, WebhookSecretResponse } from '../../client/client.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { useSay } from '../parts/toast.tsx';
import { canRead, useSession } from '../session.ts';
import { eventNames } from '../words/event.ts';
import { t } from './webhook.texts.ts';

type EventName = WebhookResponse['events'][number];
type Format = WebhookResponse['format'];

/** The events that most merchants want first. */
const usual: Record<Format, readonly EventName[]> = {
  discord: ['sale.completed', 'sale.refunded', 'delivery.failed', 'dispenser.lost', 'vendor.lost', 'product.sold_out'],
  standard: ['sale.completed', 'sale.refunded'],
};

const choosable = Object.keys(eventNames) as EventName[];

/** A message about `events` lists event names, so a single field is named differently. */
const fieldOf = (name: EventName): string => `on:${name}`;

const bodyOf = (values: Values, format: Format): CreateWebhookRequest => ({
  url: values.url ?? '',
  events: choosable.filter((name) => values[fieldOf(name)] === 'on'),
  description: values.description ?? '',
  format,
});

/** Where events are sent, and which ones. Types that the key may not read are left out. */
const Fields = ({ of, format }: { of?: WebhookResponse | undefined; format: Format }) => {
  const session = useSession();
  const chosen = of?.events ?? usual[format];
  return (
    <>
      <Field
        name="url"
        label={t.url[format]}
        help={t.urlHelp[format]}
        initial={of?.url ?? ''}
        maxLength={500}
        autoFocus
      />
      <Field name="description" label={t.description} initial={of?.description ?? ''} maxLength={200} />
      <fieldset>
        <legend>{t.events}</legend>
        <div class="choices">
          {choosable
            .filter((name) => canRead(session, name) || chosen.includes(name))
            .map((name) => (
              <Field
                key={name}
                name={fieldOf(name)}
                label={eventNames[name]}
                type="checkbox"
                isChecked={chosen.includes(name)}
              />
            ))}
        </div>
      </fieldset>
    </>
  );
};

interface DialogProps {
  onClose: () => void;
  reload: () => void;
}

interface NewProps extends DialogProps {
  format: Format;
  onMade: (made: WebhookSecretResponse) => void;
}

export const NewWebhook = ({ format, onMade, reload, onClose }: NewProps) => {
  const { client } = useSession();
  return (
    <Dialog title={t.create[format]} onClose={onClose}>
      <Form
        submit={t.create[format]}
        onCancel={onClose}
        onSend={async (values) => {
          const made = await client.post('/v1/webhooks', { body: bodyOf(values, format) });
          onClose();
          reload();
          onMade(made);
        }}
      >
        <Fields format={format} />
      </Form>
    </Dialog>
  );
};

type WebhookProps = DialogProps & { webhook: WebhookResponse };

export const EditWebhook = ({ webhook, reload, onClose }: WebhookProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.edit} onClose={onClose}>
      <Form
        submit={t.save}
        onCancel={onClose}
        onSend={async (values) => {
          await client.put('/v1/webhooks/{id}', {
            path: { id: webhook.id },
            body: { ...bodyOf(values, webhook.format), state: values.state === 'on' ? 'active' : 'disabled' },
          });
          onClose();
          reload();
          say(t.saved);
        }}
      >
        <Field name="state" label={t.isActive} type="checkbox" isChecked={webhook.state === 'active'} />
        <Fields of={webhook} format={webhook.format} />
      </Form>
    </Dialog>
  );
};

export const EndWebhook = ({ webhook, reload, onClose }: WebhookProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.end.title} onClose={onClose}>
      <Form
        submit={t.end.submit}
        isDangerous
        onCancel={onClose}
        onSend={async () => {
          await client.delete('/v1/webhooks/{id}', { path: { id: webhook.id } });
          onClose();
          reload();
          say(t.end.done);
        }}
      >
        <p>{t.end.text}</p>
        <p class="text">{webhook.url}</p>
      </Form>
    </Dialog>
  );
};

export const RotateSecret = ({ webhook, onMade, onClose }: WebhookProps & Pick<NewProps, 'onMade'>) => {
  const { client } = useSession();
  return (
    <Dialog title={t.rotate.open} onClose={onClose}>
      <Form
        submit={t.rotate.open}
        onCancel={onClose}
        onSend={async () => {
          const made = await client.post('/v1/webhooks/{id}/actions/rotate-secret', { path: { id: webhook.id } });
          onClose();
          onMade(made);
        }}
      >
        <p>{t.rotate.text}</p>
      </Form>
    </Dialog>
  );
};

/** Shows a secret. No later answer has it. */
export const Secret = ({ of, onClose }: { of: WebhookSecretResponse; onClose: () => void }) => (
  <Dialog title={t.secret.title} onClose={onClose}>
    <div class="form">
      <p>{t.secret.text}</p>
      <pre>
        <code>{of.secret}</code>
      </pre>
      <div class="buttons">
        <Copy text={of.secret} label={t.secret.copy} said={t.secret.copied} />
        <button type="button" class="button is-main" onClick={onClose}>
          {t.secret.done}
        </button>
      </div>
    </div>
  </Dialog>
);
