import { texts } from '../texts.ts';
import { useSay } from './toast.tsx';

interface CopyProps {
  text: string;
  label: string;
  /** The words that say that it is copied. */
  said: string;
  isQuiet?: boolean;
}

/** A button that copies a text. */
export const Copy = ({ text, label, said, isQuiet = false }: CopyProps) => {
  const say = useSay();
  return (
    <button
      type="button"
      class={`button${isQuiet ? ' is-quiet' : ''}`}
      onClick={() => navigator.clipboard.writeText(text).then(() => say(said))}
    >
      {label}
    </button>
  );
};

/** Stands for an id, which nobody reads. */
export const CopyId = ({ id }: { id: string }) => <Copy text={id} label={texts.copyId} said={texts.copiedId} isQuiet />;
