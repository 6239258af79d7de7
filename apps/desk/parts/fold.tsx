import chevronDown from 'lucide/dist/esm/icons/chevron-down.mjs';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface FoldProps {
  title: string;
  /** Its present values in words. */
  said: string;
  look?: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

/** Fields that are rarely needed. Folded, they say their values. */
export const Fold = ({ title, said, look = '', isOpen, children }: FoldProps) => (
  <details class={`rare ${look}`} open={isOpen}>
    <summary>
      <b>{title}</b>
      <span class="help">{said}</span>
      <Icon of={chevronDown} />
    </summary>
    <div class="stack">{children}</div>
  </details>
);
