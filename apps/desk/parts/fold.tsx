import chevronDown from 'lucide/dist/esm/icons/chevron-down.mjs';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface FoldProps {
  title: string;
  /** Its present values in words. */
  said: string;
  look?: string;
  children: ComponentChildren;
}

/** Fields that are rarely needed. Folded, they say their values. */
export const Fold = ({ title, said, look = '', children }: FoldProps) => (
  <details class={`rare ${look}`}>
    <summary>
      <b>{title}</b>
      <span class="help">{said}</span>
      <Icon of={chevronDown} />
    </summary>
    <div class="stack">{children}</div>
  </details>
);
