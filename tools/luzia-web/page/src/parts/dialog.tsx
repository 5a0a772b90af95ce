// A dialog in front of the page, and the question whether something should really be done.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

interface Props {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, wide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current!.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current!.close()}>
      <div class="dialog-inner">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button class="icon-button" type="button" aria-label="Close" onClick={() => dialog.current!.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  verb: string;
  onYes: () => void;
  onClose: () => void;
}

export function Confirm({ title, text, verb, onYes, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="buttons">
        <button class="button bad" type="button" autofocus onClick={() => (onYes(), onClose())}>
          {verb}
        </button>
        <button class="button" type="button" onClick={onClose}>
          Go back
        </button>
      </div>
    </Dialog>
  );
}
