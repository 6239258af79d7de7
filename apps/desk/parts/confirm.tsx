import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

interface ConfirmProps {
  title: string;
  /** The difference that it makes. */
  text: string;
  submit: string;
  /** Does it, and closes the question. */
  onSend: () => Promise<void>;
  onClose: () => void;
}

/** Asks before an act that the desk cannot undo. */
export const Confirm = ({ title, text, submit, onSend, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form submit={submit} isDangerous isUnguarded onCancel={onClose} onSend={onSend}>
      <p>{text}</p>
    </Form>
  </Dialog>
);
