import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

const gap = 4;
const edge = 8;

/** Puts an open part below its button, or above it where there is no room below. */
const place = (part: HTMLElement, button: HTMLElement): void => {
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = part;
  const below = bottom + gap;
  part.style.left = `${Math.max(edge, right - width > edge ? right - width : Math.min(left, innerWidth - width - edge))}px`;
  part.style.top = `${Math.max(edge, below + height + edge > innerHeight ? top - gap - height : below)}px`;
};

/** The controls of an open part. */
const stopsIn = (part: HTMLElement | null): HTMLElement[] => [
  ...(part?.querySelectorAll<HTMLElement>('button, a, input') ?? []),
];

interface PopupProps {
  /** Its name, if its face does not say it. */
  label?: string | undefined;
  look?: string;
  face: ComponentChildren;
  /** Drawn once it is open. `close` gives the focus back to the button. */
  children: (close: () => void) => ComponentChildren;
}

/**
 * A button that opens a part above the page, where nothing cuts it off. Arrow keys and Tab move within it. Escape, a
 * press elsewhere and leaving it close it.
 */
export const Popup = ({ label, look = 'button', face, children }: PopupProps) => {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  const part = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => part.current?.hidePopover();
  const follow = () => part.current && button.current && place(part.current, button.current);
  const show = () => {
    // The browser gives the focus back to where it was. Safari does not focus a clicked button.
    button.current?.focus({ preventScroll: true });
    part.current?.showPopover();
    follow();
    stopsIn(part.current)[0]?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    show();
    addEventListener('scroll', follow, { passive: true });
    return () => removeEventListener('scroll', follow);
  }, [isOpen]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = stopsIn(part.current);
    stops[(stops.indexOf(document.activeElement as HTMLElement) + step + stops.length) % stops.length]?.focus();
  };
  return (
    <span class="more">
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onPointerDown={() => {
          // A press beside an open part closes it, also one on its button, which would open it again.
          wasOpen.current = isOpen;
        }}
        onClick={() => {
          // The browser tells of a closed part a moment later. Until then it is still here, and is shown again.
          if (isOpen && !wasOpen.current) show();
          else setOpen(!wasOpen.current);
          wasOpen.current = false;
        }}
      >
        {face}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys and the focus of what is in it.
        <div
          ref={part}
          id={id}
          class="popup"
          popover="auto"
          onKeyDown={move}
          onToggle={({ newState }) => newState === 'closed' && setOpen(false)}
          onFocusOut={({ relatedTarget }) => {
            if (relatedTarget instanceof Node && !part.current?.contains(relatedTarget)) close();
          }}
        >
          {children(close)}
        </div>
      )}
    </span>
  );
};
